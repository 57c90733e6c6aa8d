import type { MeshPolicy } from "@istiod-lite/mesh-policy"
import { DiscoveryGraph, type ServiceDiscovery, type XdsGenerator, XdsGenerators } from "@istiod-lite/model"
import { layerPushPlanner, makeUnsynced, untilSynced } from "@istiod-lite/registry-aggregate"
import { XdsServer, type XdsServerOptions } from "@istiod-lite/xds-server"
import { Context, Effect, Layer, type Scope } from "effect"
import {
  type ControlPlane,
  type ControlPlaneOptions,
  controlPlaneOf,
  layerControlPlane
} from "./control-plane.ts"
import { connectXdsTestClient, type XdsTestClient, type XdsTestClientOptions } from "./xds-test-client.ts"

/** How a control plane with a port differs from the default one. */
export interface ServedControlPlaneOptions extends ControlPlaneOptions {
  /** Types that are served besides endpoints. */
  readonly generators?: ReadonlyArray<Effect.Effect<XdsGenerator, never, MeshPolicy | ServiceDiscovery>>
  /** Over the server's defaults, a free port and readiness when everything has been read. */
  readonly server?: Partial<XdsServerOptions>
}

/** A control plane in memory that is served over a socket, pushes included, as the app composes it. */
export interface ServedControlPlane extends ControlPlane {
  readonly port: number
  /** the open streams as they stand */
  readonly connections: XdsServer["Service"]["connections"]
  /** Opens a stream that ends with the scope. */
  readonly connect: (
    node: XdsTestClientOptions["node"],
    options?: Partial<Omit<XdsTestClientOptions, "node">>
  ) => Effect.Effect<XdsTestClient, never, Scope.Scope>
}

/** Builds and serves a control plane that lives as long as the scope. */
export const makeServedControlPlane = (
  options: ServedControlPlaneOptions = {}
): Effect.Effect<ServedControlPlane, never, Scope.Scope> =>
  Effect.map(Layer.build(layerServedControlPlane(options)), (context) => {
    const { address, connections } = Context.get(context, XdsServer)
    return {
      ...controlPlaneOf(context),
      port: address.port,
      connections,
      connect: (node, client) => connectXdsTestClient({ port: address.port, node, ...client })
    }
  })

const layerServedControlPlane = ({ generators = [], server = {}, ...options }: ServedControlPlaneOptions) => {
  const served = Layer.effect(
    XdsGenerators,
    Effect.gen(function* () {
      return [...(yield* XdsGenerators), ...(yield* Effect.all(generators))]
    })
  )
  const layerServer = Layer.unwrap(
    Effect.gen(function* () {
      const ready = untilSynced(yield* DiscoveryGraph, yield* makeUnsynced)
      return XdsServer.layer({ port: 0, ready, ...server })
    })
  )
  return layerPushPlanner.pipe(
    Layer.provideMerge(Layer.orDie(Layer.provide(layerServer, served))),
    Layer.provideMerge(layerControlPlane(options))
  )
}
