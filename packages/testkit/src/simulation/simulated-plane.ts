import { Graph, type Source } from "@istiod-lite/collections"
import { MeshPolicy, type PolicyQueries } from "@istiod-lite/mesh-policy"
import {
  DiscoveryGraph,
  mergePushRequests,
  type MeshConfigValue,
  type ObjectStore,
  type PushRequest,
  Registries,
  ServiceDiscovery,
  WorkloadExchange,
  type XdsGenerator,
  XdsGenerators,
  XdsUpdater
} from "@istiod-lite/model"
import { layerPushPlanner } from "@istiod-lite/registry-aggregate"
import { admitAll, Ads, silentObserver } from "@istiod-lite/xds-server"
import { Context, Effect, Layer, Scope } from "effect"
import { type ControlPlaneOptions, layerControlPlane, WritableMesh } from "../control-plane.ts"
import { MemorySource } from "../memory-source.ts"

/** A control plane over its own objects: what is derived, and what can be asked. */
export interface Plane {
  readonly graph: Graph
  readonly store: ObjectStore
  readonly mesh: Source<MeshConfigValue>
  readonly registries: Registries["Service"]
  readonly discovery: ServiceDiscovery["Service"]
  readonly workloads: WorkloadExchange["Service"]
  readonly policy: PolicyQueries
  readonly endpoints: XdsGenerator
}

/** A control plane that is served: with its push planner, and the service that clients connect to. */
export interface ServedPlane extends Plane {
  readonly ads: Ads
  /** Pushes what was planned since the last call, merged into one request as a push queue does. */
  readonly push: () => void
}

/** Where a simulation puts a fault. */
export interface PlaneHooks {
  readonly graph?: () => Graph
  /** what becomes of a planned request before it is pushed */
  readonly plan?: (request: PushRequest) => PushRequest
}

const build = <R>(layer: Layer.Layer<R>): Context.Context<R> =>
  Effect.runSync(Layer.build(layer).pipe(Effect.provideService(Scope.Scope, Scope.makeUnsafe())))

type PlaneServices = Layer.Success<ReturnType<typeof layerControlPlane>>

const planeOf = (context: Context.Context<PlaneServices>): Plane => ({
  graph: Context.get(context, DiscoveryGraph),
  store: Context.get(context, MemorySource).store,
  mesh: Context.get(context, WritableMesh),
  registries: Context.get(context, Registries),
  discovery: Context.get(context, ServiceDiscovery),
  workloads: Context.get(context, WorkloadExchange),
  policy: Context.get(context, MeshPolicy),
  endpoints: onlyGenerator(Context.get(context, XdsGenerators))
})

const onlyGenerator = (generators: ReadonlyArray<XdsGenerator>): XdsGenerator => {
  const [generator] = generators
  if (generator === undefined) throw new Error("Cannot simulate: the control plane serves no endpoints")
  return generator
}

/** A control plane that nobody connects to, filled by `write` in one transaction. It is left to the garbage collector. */
export const makePlane = (options: ControlPlaneOptions, write: (store: ObjectStore) => void): Plane => {
  const plane = planeOf(build(layerControlPlane(options)))
  plane.graph.transaction(() => write(plane.store))
  return plane
}

/** A control plane with everything that the real one has between a change and its clients, but time and sockets. */
export const makeServedPlane = (
  options: ControlPlaneOptions,
  { graph = () => new Graph(), plan = (request) => request }: PlaneHooks = {}
): ServedPlane => {
  let planned: PushRequest | undefined
  const updater = Layer.succeed(XdsUpdater, {
    push: (request) => {
      const next = plan(request)
      planned = planned === undefined ? next : mergePushRequests(planned, next)
    }
  })
  const layer = layerControlPlane({ ...options, graph: Layer.sync(DiscoveryGraph, graph) })
  const plane = planeOf(build(layerPushPlanner.pipe(Layer.provideMerge(layer), Layer.provide(updater))))
  const ads = new Ads({
    generators: [plane.endpoints],
    resolve: (proxy) => proxy,
    ...admitAll,
    observer: silentObserver,
    now: () => 0,
    versionPrefix: "simulated",
    idle: () => {}
  })
  ads.serve()
  return {
    ...plane,
    ads,
    push: () => {
      const request = planned
      planned = undefined
      if (request !== undefined) ads.push(request)
    }
  }
}
