import type { Graph, Reader } from "@istiod-lite/collections"
import {
  DiscoveryGraph,
  MeshConfig,
  type Namespace,
  noLabels,
  ObjectSource,
  Registries,
  ServiceEntryStatuses,
  WorkloadExchange
} from "@istiod-lite/model"
import { Effect, Layer, Option } from "effect"
import { makeServiceEntryRegistry } from "./service-entry-registry.ts"

/** The registry of the configuration cluster's ServiceEntries and WorkloadEntries. */
export const layerServiceEntryRegistry: Layer.Layer<
  never,
  never,
  DiscoveryGraph | ObjectSource | MeshConfig | Registries | WorkloadExchange
> = Layer.effectDiscard(
  Effect.gen(function* () {
    const graph = yield* DiscoveryGraph
    const source = yield* ObjectSource
    const mesh = yield* MeshConfig
    const registries = yield* Registries
    const workloads = yield* WorkloadExchange
    const statuses = Option.getOrUndefined(yield* Effect.serviceOption(ServiceEntryStatuses))

    const scope = graph.scope(() => {
      const { namespaces, unfollow } = namespacesOf(graph, source)
      const registry = makeServiceEntryRegistry(
        graph,
        {
          cluster: source.configCluster,
          config: source.config,
          namespaceAnnotations: (read: Reader, namespace) =>
            read.get(namespaces, `/${namespace}`)?.meta.annotations ?? noLabels,
          reads: [namespaces],
          synced: source.synced,
          stale: () => source.clusters.get(source.configCluster)?.stale?.()
        },
        { mesh, workloads, statuses }
      )
      return {
        remove: registries.add(registry),
        withdraw: workloads.contribute(registry.workloads),
        unfollow
      }
    })
    yield* Effect.addFinalizer(() =>
      Effect.sync(() =>
        graph.transaction(() => {
          scope.value.unfollow()
          scope.value.remove()
          scope.value.withdraw()
          scope.dispose()
        })
      )
    )
  })
)

/** The namespaces of the configuration cluster, also when its objects come later or are replaced. */
const namespacesOf = (graph: Graph, source: ObjectSource["Service"]) => {
  const namespaces = graph.merge<Namespace>("namespaces of the configuration cluster")
  let detach: (() => void) | undefined
  const follow = (): void => {
    detach?.()
    const cluster = source.clusters.get(source.configCluster)
    detach = cluster === undefined ? undefined : namespaces.add(cluster.objects.Namespace)
  }
  follow()
  const unsubscribe = source.clusters.subscribe((changes) => {
    if (changes.some(({ key }) => key === source.configCluster)) graph.transaction(follow)
  })
  return { namespaces, unfollow: unsubscribe }
}
