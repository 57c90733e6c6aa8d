import type { Change, Collection } from "@istiod-lite/collections"
import {
  DiscoveryGraph,
  MeshConfig,
  ObjectSource,
  type Service,
  ServiceDiscovery,
  type ServiceEndpoints,
  WorkloadExchange,
  type WorkloadInstance,
  XdsUpdater
} from "@istiod-lite/model"
import { Clock, Effect, Layer, type Scope } from "effect"
import { planPush } from "./push-planning.ts"

/** Istio objects that decide what proxies are told about services, without being services. */
const policyKinds = ["DestinationRule", "VirtualService", "Sidecar", "PeerAuthentication", "Gateway"] as const

/** Tells the `XdsUpdater` after each transaction what it changed: one request, or none. */
export const layerPushPlanner: Layer.Layer<
  never,
  never,
  DiscoveryGraph | ServiceDiscovery | ObjectSource | MeshConfig | WorkloadExchange | XdsUpdater
> = Layer.effectDiscard(
  Effect.gen(function* () {
    const graph = yield* DiscoveryGraph
    const discovery = yield* ServiceDiscovery
    const { config } = yield* ObjectSource
    const mesh = yield* MeshConfig
    const workloads = yield* WorkloadExchange
    const updater = yield* XdsUpdater
    const clock = yield* Clock.Clock
    const noted = new NotedChanges()

    yield* note(discovery.services, (changes) => noted.services.push(...changes))
    yield* note(discovery.endpoints, (changes) => noted.endpoints.push(...changes))
    yield* note(workloads.all, (changes) => noted.workloads.push(...changes))
    yield* note(discovery.gateways, () => noted.count("networks", 1))
    yield* note(mesh, () => noted.count("mesh", 1))
    for (const kind of policyKinds) {
      const objects: Collection<unknown> = config[kind]
      yield* note(objects, (changes) => noted.count(kind, changes.length))
    }
    yield* Effect.acquireRelease(
      Effect.sync(() =>
        graph.onCommit(() => {
          const request = planPush(noted, clock.currentTimeMillisUnsafe())
          noted.clear()
          if (request !== undefined) updater.push(request)
        })
      ),
      (unsubscribe) => Effect.sync(unsubscribe)
    )
  })
)

/** Subscribes for as long as the scope lives. */
const note = <V>(
  from: Collection<V>,
  take: (changes: ReadonlyArray<Change<V>>) => void
): Effect.Effect<unknown, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => from.subscribe(take)),
    (unsubscribe) => Effect.sync(unsubscribe)
  )

/** What the running publication has told so far. */
class NotedChanges {
  services: Array<Change<Service>> = []
  endpoints: Array<Change<ServiceEndpoints>> = []
  workloads: Array<Change<WorkloadInstance>> = []
  readonly everywhere = new Map<string, number>()

  count(reason: string, changes: number): void {
    this.everywhere.set(reason, (this.everywhere.get(reason) ?? 0) + changes)
  }

  clear(): void {
    this.services = []
    this.endpoints = []
    this.workloads = []
    this.everywhere.clear()
  }
}
