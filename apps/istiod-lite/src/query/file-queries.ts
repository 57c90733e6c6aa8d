import { formatManifestFault, type ManifestFault, SourceFaults } from "@istiod-lite/source-files"
import { Console, Effect, Layer } from "effect"
import { fileSource } from "../compose/file-source.ts"
import { layerDiscovery } from "../compose/layer-discovery.ts"
import { controlPlane } from "../compose/plugins.ts"
import type { SourceOptions } from "../compose/source-options.ts"
import { counted } from "../tables/table.ts"
import { layerLocalQueries } from "./local-queries.ts"
import { Queries } from "./queries.ts"
import { NothingFound, type QueryError } from "./query-error.ts"

/** Answers about files, as the app without plugins of a user would serve them. Nobody is connected. */
export const layerFileQueries = (options: SourceOptions): Layer.Layer<Queries, Error> =>
  Layer.effect(
    Queries,
    Effect.gen(function* () {
      const queries = yield* Queries
      const known = yield* Effect.serviceOption(SourceFaults)
      const faults = known._tag === "None" ? [] : [...known.value.values()].flat()
      yield* tellFaults(faults, options)
      const explained = explainNothing(faults, options)
      return Queries.of({
        services: explained(queries.services),
        endpoints: (of) => explained(queries.endpoints(of)),
        render: (proxy) => explained(queries.render(proxy)),
        explain: (question) => explained(queries.explain(question)),
        proxies: explained(queries.proxies),
        clusters: explained(queries.clusters),
        machines: explained(queries.machines),
        plan: (change) => explained(queries.plan(change))
      })
    })
  ).pipe(
    Layer.provide(layerLocalQueries(() => [])),
    Layer.provide(layerDiscovery(controlPlane(), fileSource(options, false)))
  )

const isGrave = ({ severity }: ManifestFault): boolean => severity !== "info"
/** A path that is not there, or may not be read. */
const isOfFile = ({ object }: ManifestFault): boolean => object === "file"

/** An answer about half of what somebody wrote should say so, beside the answer. */
const tellFaults = (faults: ReadonlyArray<ManifestFault>, options: SourceOptions): Effect.Effect<void> =>
  Effect.gen(function* () {
    const grave = faults.filter(isGrave)
    // They are few, and mostly all there is to say.
    for (const fault of grave.filter(isOfFile))
      yield* Console.error(`istiod-lite: ${formatManifestFault(fault)}`)
    const others = grave.filter((fault) => !isOfFile(fault)).length
    if (others > 0)
      yield* Console.error(`istiod-lite: ${counted(others, "fault")}; explained by: ${checkOf(options)}`)
  })

/** What is not found may be what could not be read, or be of a kind that is not read because it is mistyped. */
const explainNothing =
  (faults: ReadonlyArray<ManifestFault>, options: SourceOptions) =>
  <A>(answer: Effect.Effect<A, QueryError>): Effect.Effect<A, QueryError> =>
    Effect.mapError(answer, (error) => {
      if (error._tag !== "NothingFound" || faults.length === 0) return error
      const grave = faults.filter(isGrave).length
      const ignored = faults.length - grave
      const counts = [
        ...(ignored > 0 ? [`${counted(ignored, "object")} ignored`] : []),
        ...(grave > 0 ? [counted(grave, "fault")] : [])
      ]
      return new NothingFound({ message: `${error.message} (${counts.join(", ")}; see ${checkOf(options)})` })
    })

const checkOf = ({ clusters, manifests }: SourceOptions): string =>
  ["istiod-lite check", ...manifests, ...clusters.map(({ path }) => path)].join(" ")
