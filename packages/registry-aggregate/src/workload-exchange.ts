import { DiscoveryGraph, labelKeysOf, WorkloadExchange, type WorkloadInstance } from "@istiod-lite/model"
import { Effect, Layer } from "effect"

/** The shared workloads, empty until registries contribute theirs. */
export const layerWorkloadExchange: Layer.Layer<WorkloadExchange, never, DiscoveryGraph> = Layer.effect(
  WorkloadExchange,
  Effect.map(DiscoveryGraph, (graph) => {
    const all = graph.merge<WorkloadInstance>("workloads")
    return WorkloadExchange.of({
      all,
      byLabel: graph.index("workloads by label", all, labelKeysOf),
      byIp: graph.index("workloads by IP", all, (workload) =>
        workload.addressKind === "ip" ? workload.facts.addresses : []
      ),
      contribute: (workloads) => all.add(workloads)
    })
  })
)
