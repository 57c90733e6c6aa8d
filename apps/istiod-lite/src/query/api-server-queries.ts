import { ClusterStatuses, DiscoveryGraph } from "@istiod-lite/model"
import { makeUnsynced, untilSynced } from "@istiod-lite/registry-aggregate"
import { Data, Duration, Effect, Layer, References } from "effect"
import { type ApiServerSource, apiServerSource } from "../compose/api-server-source.ts"
import { type Discovery, layerDiscovery } from "../compose/layer-discovery.ts"
import { controlPlane } from "../compose/plugins.ts"
import type { SourceOptions } from "../compose/source-options.ts"
import { layerLineLogger } from "../serve/log-line.ts"
import { layerLocalQueries } from "./local-queries.ts"
import type { Queries } from "./queries.ts"

/** An API server could not be read in time. */
class NotRead extends Data.TaggedError("NotRead")<{ readonly message: string }> {}

/** Answers about the objects of an API server as they are now; nothing is written, nobody is connected. */
export const layerApiServerQueries = (options: SourceOptions): Layer.Layer<Queries, Error> =>
  layerLocalQueries(() => []).pipe(
    Layer.provideMerge(Layer.effectDiscard(read(options))),
    Layer.provide(layerDiscovery<ApiServerSource>(controlPlane(), apiServerSource(options))),
    Layer.provide(quietly)
  )

/** What is wrong is told beside the answer; how reading goes on is of no interest. */
const quietly = Layer.merge(layerLineLogger, Layer.succeed(References.MinimumLogLevel, "Warn"))

const read = ({ clusterTimeout }: SourceOptions): Effect.Effect<void, NotRead, Discovery | ClusterStatuses> =>
  Effect.gen(function* () {
    const graph = yield* DiscoveryGraph
    const clusters = yield* ClusterStatuses
    const unsynced = yield* makeUnsynced
    // A further cluster has all of its time; the configuration cluster has a little more.
    const timeout = Duration.sum(clusterTimeout, Duration.seconds(1))
    yield* untilSynced(graph, unsynced).pipe(
      Effect.timeoutOrElse({
        duration: timeout,
        orElse: () => {
          const why = new Set(clusters.all().flatMap(({ error }) => (error === undefined ? [] : [error])))
          const message = `Cannot read ${unsynced().join(", ")} within ${Duration.format(timeout)}.`
          return Effect.fail(new NotRead({ message: [message, ...why].join(" ") }))
        }
      })
    )
  })
