import {
  DiscoveryGraph,
  MeshConfig,
  ObjectSource,
  Registries,
  type ClusterObjects,
  WorkloadExchange
} from "@istiod-lite/model"
import { Effect, Layer } from "effect"
import { type ImportedService, indexImports } from "./cluster-set.ts"
import { makeKubeRegistry } from "./kube-registry.ts"

/**
 * One registry for each cluster that the object source knows, as clusters come and go (S-22). A cluster that is
 * replaced gets its new registry, and loses the old one, in one transaction.
 */
export const layerKubeRegistries: Layer.Layer<
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
    const removals = new Map<string, () => void>()
    const shared = graph.scope(() => {
      const imports = graph.merge<ImportedService>("imported services")
      return { imports, importsByKey: indexImports(graph, "imported services by key", imports) }
    })
    const { imports, importsByKey } = shared.value

    const add = (cluster: ClusterObjects): void => {
      const scope = graph.scope(() => {
        const registry = makeKubeRegistry(graph, cluster, {
          isConfigCluster: cluster.cluster === source.configCluster,
          mesh,
          workloads,
          importsByKey
        })
        const withdrawals = [workloads.contribute(registry.workloads, "pods"), imports.add(registry.imports)]
        return { registry, withdrawals }
      })
      const remove = registries.add(scope.value.registry)
      removals.set(cluster.cluster, () => {
        remove()
        for (const withdraw of scope.value.withdrawals) withdraw()
        scope.dispose()
      })
    }
    const replace = (id: string, now: ClusterObjects | undefined): void =>
      graph.transaction(() => {
        removals.get(id)?.()
        removals.delete(id)
        if (now !== undefined) add(now)
      })

    graph.transaction(() => {
      for (const cluster of source.clusters.values()) add(cluster)
    })
    const unsubscribe = source.clusters.subscribe((changes) => {
      for (const { key, now } of changes) replace(key, now)
    })
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        unsubscribe()
        graph.transaction(() => {
          for (const id of removals.keys()) replace(id, undefined)
          shared.dispose()
        })
      })
    )
  })
)
