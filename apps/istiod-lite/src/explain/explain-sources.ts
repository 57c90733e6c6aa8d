import { MeshPolicy } from "@istiod-lite/mesh-policy"
import {
  DiscoveryGraph,
  ObjectSource,
  Registries,
  ServiceDiscovery,
  WorkloadExchange
} from "@istiod-lite/model"
import type { ConnectionInfo } from "@istiod-lite/xds-server"
import { Effect } from "effect"

/** What explanations are read from: the control plane itself, nothing of their own. */
export interface ExplainSources {
  readonly graph: DiscoveryGraph["Service"]
  readonly objects: ObjectSource["Service"]
  readonly registries: Registries["Service"]
  readonly discovery: ServiceDiscovery["Service"]
  readonly workloads: WorkloadExchange["Service"]
  readonly policy: MeshPolicy["Service"]
  readonly connections: () => ReadonlyArray<ConnectionInfo>
}

/** The sources of this control plane; `connections` are its open streams, none where nobody connects. */
export const makeExplainSources = (
  connections: ExplainSources["connections"]
): Effect.Effect<
  ExplainSources,
  never,
  DiscoveryGraph | MeshPolicy | ObjectSource | Registries | ServiceDiscovery | WorkloadExchange
> =>
  Effect.gen(function* () {
    return {
      graph: yield* DiscoveryGraph,
      objects: yield* ObjectSource,
      registries: yield* Registries,
      discovery: yield* ServiceDiscovery,
      workloads: yield* WorkloadExchange,
      policy: yield* MeshPolicy,
      connections
    }
  })
