import { DiscoveryGraph, makeWorkloads, WorkloadExchange } from "@istiod-lite/model"
import { Effect, Layer } from "effect"

/** The shared workloads, empty until registries contribute theirs. */
export const layerWorkloadExchange: Layer.Layer<WorkloadExchange, never, DiscoveryGraph> = Layer.effect(
  WorkloadExchange,
  Effect.map(DiscoveryGraph, makeWorkloads)
)
