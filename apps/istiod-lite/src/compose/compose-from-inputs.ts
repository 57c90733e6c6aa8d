import { MeshPolicy } from "@istiod-lite/mesh-policy"
import {
  DiscoveryGraph,
  MeshConfig,
  ObjectSource,
  Registries,
  ServiceDiscovery,
  ServiceEntryStatuses,
  WorkloadExchange
} from "@istiod-lite/model"
import { GatewayAddresses, layerServiceDiscoveryNoDeps } from "@istiod-lite/registry-aggregate"
import { Context, Effect, Layer, type Scope } from "effect"
import { type Discovery, layerDiscovery } from "./layer-discovery.ts"
import { defaultRegistries, type RegistryPlugin } from "./plugins.ts"
import { WritableInputs } from "./writable-inputs.ts"

/** A control plane that nothing feeds but the code that holds it, and that no client sees. */
export interface DetachedControlPlane {
  readonly inputs: WritableInputs
  /** what can be asked, for layers that ask it */
  readonly context: Context.Context<Discovery>
  readonly graph: DiscoveryGraph["Service"]
  readonly discovery: ServiceDiscovery["Service"]
  readonly policy: MeshPolicy["Service"]
  readonly registries: Registries["Service"]
  readonly workloads: WorkloadExchange["Service"]
}

/** How a detached control plane is composed. */
export interface DetachedOptions {
  /** the cluster whose Istio objects count */
  readonly configCluster: string
  /** whether automatic addresses come from an allocator's statuses; default: from the objects alone */
  readonly allocates?: boolean
  /** Default: those of the app. */
  readonly registries?: ReadonlyArray<RegistryPlugin>
}

/** Composes the registries and policies over inputs that are empty at first; it lives as long as the scope. */
export const composeFromInputs = ({
  allocates = false,
  configCluster,
  registries = defaultRegistries
}: DetachedOptions): Effect.Effect<DetachedControlPlane, Error, Scope.Scope> =>
  Effect.gen(function* () {
    const inputs = layerInputs(configCluster, allocates)
    const aggregate = layerServiceDiscoveryNoDeps.pipe(Layer.provide(inputs))
    // Layers are shared by identity within a memo map: with one of its own, nothing is shared with who copies.
    const context = yield* Layer.buildWithMemoMap(
      layerDiscovery({ registries }, inputs, aggregate),
      yield* Layer.makeMemoMap,
      yield* Effect.scope
    )
    return {
      inputs: Context.getUnsafe(context, HeldInputs),
      context,
      graph: Context.get(context, DiscoveryGraph),
      discovery: Context.get(context, ServiceDiscovery),
      policy: Context.get(context, MeshPolicy),
      registries: Context.get(context, Registries),
      workloads: Context.get(context, WorkloadExchange)
    }
  })

/** The inputs under a key of their own, so that the holder can write what the capabilities only show. */
class HeldInputs extends Context.Service<HeldInputs, WritableInputs>()("@istiod-lite/app/HeldInputs") {}

const layerInputs = (
  configCluster: string,
  allocates: boolean
): Layer.Layer<HeldInputs | ObjectSource | MeshConfig | GatewayAddresses, never, DiscoveryGraph> =>
  Layer.effectContext(
    Effect.map(DiscoveryGraph, (graph) => {
      const inputs = new WritableInputs(graph, configCluster, allocates)
      const context = Context.make(HeldInputs, inputs).pipe(
        Context.add(ObjectSource, inputs.source),
        Context.add(MeshConfig, inputs.mesh),
        Context.add(GatewayAddresses, { byHostname: inputs.gatewayAddresses, pending: () => [] })
      )
      return inputs.statuses === undefined
        ? context
        : Context.add(context, ServiceEntryStatuses, inputs.statuses)
    })
  )
