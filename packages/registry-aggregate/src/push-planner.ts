import type { Change, Collection } from "@istiod-lite/collections"
import {
  defaultMeshConfig,
  type DestinationRule,
  DiscoveryGraph,
  type KnownProxy,
  MeshConfig,
  meshKey,
  type ObjectMeta,
  ObjectSource,
  Registries,
  type Registry,
  type Service,
  ServiceDiscovery,
  type ServiceEndpoints,
  WorkloadExchange,
  type WorkloadInstance,
  XdsUpdater
} from "@istiod-lite/model"
import { Clock, Effect, Layer, type Scope } from "effect"
import { saysSomethingElse } from "./policy-changes.ts"
import { planPush } from "./push-planning.ts"

/** Istio objects that may decide what any proxy is told about any service. */
const policyKinds = ["VirtualService", "Sidecar", "PeerAuthentication", "Gateway"] as const

/** Tells the `XdsUpdater` after each transaction what it changed: one request, or none. */
export const layerPushPlanner: Layer.Layer<
  never,
  never,
  DiscoveryGraph | Registries | ServiceDiscovery | ObjectSource | MeshConfig | WorkloadExchange | XdsUpdater
> = Layer.effectDiscard(
  Effect.gen(function* () {
    const graph = yield* DiscoveryGraph
    const discovery = yield* ServiceDiscovery
    const { config } = yield* ObjectSource
    const mesh = yield* MeshConfig
    const registries = yield* Registries
    const workloads = yield* WorkloadExchange
    const updater = yield* XdsUpdater
    const clock = yield* Clock.Clock
    const noted = new NotedChanges()
    const servicesOfHost = (hostname: string): ReadonlyArray<Service> =>
      discovery.byHostname.lookup(hostname).map(([, service]) => service)
    // A route may name its host by the first labels only; to take one for another costs a look at what has not changed.
    const isRoutedTo = (hostname: string): boolean =>
      [...config.VirtualService.values()].some(({ destinations }) =>
        destinations.some(({ host }) => hostname === host || hostname.startsWith(`${host}.`))
      )

    yield* note(discovery.services, (changes) => noted.services.push(...changes))
    yield* note(discovery.endpoints, (changes) => noted.endpoints.push(...changes))
    yield* note(workloads.machines.all, (changes) => noted.workloads.push(...changes))
    yield* note(registries.services, (changes) => noted.declared.push(...changes))
    yield* noteProxies(registries.all, (changes) => noted.proxies.push(...changes))
    yield* note(config.DestinationRule, (changes) =>
      noted.destinationRules.push(...changes.filter(saysSomethingElse))
    )
    yield* note(discovery.gateways, () => noted.count("networks", 1))
    yield* note(mesh, () => noted.count("mesh", 1))
    for (const kind of policyKinds) {
      const objects: Collection<{ readonly meta: ObjectMeta }> = config[kind]
      yield* note(objects, (changes) => noted.count(kind, changes.filter(saysSomethingElse).length))
    }
    yield* Effect.acquireRelease(
      Effect.sync(() =>
        graph.onCommit(() => {
          const { domainSuffix, sendUnhealthyEndpoints } = mesh.get(meshKey) ?? defaultMeshConfig
          const context = { servicesOfHost, isRoutedTo, domainSuffix, sendUnhealthyEndpoints }
          const request = planPush(noted, context, clock.currentTimeMillisUnsafe())
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

/**
 * Subscribes to the proxies of each registry that is there: one collection of all of them would be a second copy. Those
 * of a registry that comes or goes have changed.
 */
const noteProxies = (
  registries: Collection<Registry>,
  take: (changes: ReadonlyArray<Change<KnownProxy>>) => void
): Effect.Effect<unknown, never, Scope.Scope> => {
  const followed = new Map<string, () => void>()
  const follow = (id: string, registry: Registry | undefined): void => {
    followed.get(id)?.()
    followed.delete(id)
    if (registry?.proxies !== undefined) followed.set(id, registry.proxies.subscribe(take))
  }
  return Effect.acquireRelease(
    Effect.sync(() => {
      for (const [id, registry] of registries.entries()) follow(id, registry)
      return registries.subscribe((changes) => {
        for (const { key, now, old } of changes) {
          follow(key, now)
          take(
            Array.from(old?.proxies?.entries() ?? [], ([of, proxy]) => ({
              key: of,
              old: proxy,
              now: undefined
            }))
          )
          take(
            Array.from(now?.proxies?.entries() ?? [], ([of, proxy]) => ({
              key: of,
              old: undefined,
              now: proxy
            }))
          )
        }
      })
    }),
    (unsubscribe) =>
      Effect.sync(() => {
        unsubscribe()
        for (const stop of followed.values()) stop()
      })
  )
}

/** What the running publication has told so far. */
class NotedChanges {
  services: Array<Change<Service>> = []
  declared: Array<Change<Service>> = []
  endpoints: Array<Change<ServiceEndpoints>> = []
  workloads: Array<Change<WorkloadInstance>> = []
  proxies: Array<Change<KnownProxy>> = []
  destinationRules: Array<Change<DestinationRule>> = []
  readonly everywhere = new Map<string, number>()

  count(reason: string, changes: number): void {
    if (changes === 0) return
    this.everywhere.set(reason, (this.everywhere.get(reason) ?? 0) + changes)
  }

  clear(): void {
    this.services = []
    this.declared = []
    this.endpoints = []
    this.workloads = []
    this.proxies = []
    this.destinationRules = []
    this.everywhere.clear()
  }
}
