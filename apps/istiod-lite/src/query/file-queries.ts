import { SourceFaults } from "@istiod-lite/source-files"
import { Console, Effect, Layer } from "effect"
import { fileSource } from "../compose/file-source.ts"
import { layerDiscovery } from "../compose/layer-discovery.ts"
import { controlPlane } from "../compose/plugins.ts"
import type { SourceOptions } from "../compose/source-options.ts"
import { counted } from "../tables/table.ts"
import { layerLocalQueries } from "./local-queries.ts"
import type { Queries } from "./queries.ts"

/** Answers about files, as the app without plugins of a user would serve them. Nobody is connected. */
export const layerFileQueries = (options: SourceOptions): Layer.Layer<Queries, Error> =>
  Layer.merge(
    layerLocalQueries(() => []),
    layerFaultNote(options)
  ).pipe(Layer.provide(layerDiscovery(controlPlane(), fileSource(options, false))))

/** An answer about half of what somebody wrote should say so, beside the answer. */
const layerFaultNote = ({ clusters, manifests }: SourceOptions): Layer.Layer<never> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const faults = yield* Effect.serviceOption(SourceFaults)
      if (faults._tag === "None") return
      const grave = [...faults.value.values()].flat().filter(({ severity }) => severity !== "info").length
      if (grave === 0) return
      const paths = [...manifests, ...clusters.map(({ path }) => path)].join(" ")
      yield* Console.error(
        `istiod-lite: ${counted(grave, "fault")}; explained by: istiod-lite check ${paths}`
      )
    })
  )
