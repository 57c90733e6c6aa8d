import type { Collection, Index, Reader } from "@istiod-lite/collections"
import {
  DiscoveryGraph,
  equalLabels,
  equalLocality,
  keyOfService,
  type Labels,
  MeshConfig,
  type MeshConfigValue,
  type MutualTlsMode,
  ObjectSource,
  type Proxy,
  selects,
  type Service,
  ServiceDiscovery
} from "@istiod-lite/model"
import { Context, Effect, Layer } from "effect"
import { acceptedAccounts } from "./accounts.ts"
import { importedAliases, type NamespacedHost } from "./aliases.ts"
import { clustersOfService } from "./cluster-names.ts"
import { lookupDestinationRule } from "./destination-rule-lookup.ts"
import type { MergedDestinationRule } from "./destination-rules.ts"
import { effectiveMutualTls } from "./peer-authentication.ts"
import { autoPassthroughKey, meshOf, policyCollections, type PolicyInputs } from "./policy-collections.ts"
import { placeProxy, type ProxyView } from "./proxy-view.ts"
import { addressesFor } from "./service-addresses.ts"
import { sidecarScopes } from "./sidecar-scopes.ts"

/** Questions about what a proxy sees. They read through a Reader, so a derivation may ask them and be woken. */
export interface PolicyQueries {
  readonly mesh: (read: Reader) => MeshConfigValue
  /** the same value for the same proxy while nothing that it is made of changes */
  readonly viewOf: (read: Reader, proxy: Proxy) => ProxyView
  /** the rule that the proxy applies to the service (S-49), the same value while its objects stay */
  readonly destinationRule: (
    read: Reader,
    view: ProxyView,
    service: Service
  ) => MergedDestinationRule | undefined
  /** what the workload accepts on a port of its own, never `UNSET` (S-49) */
  readonly peerAuthentication: (
    read: Reader,
    workload: { readonly namespace: string; readonly labels: Labels },
    port: number
  ) => MutualTlsMode
  /** by which the proxy reaches the service (S-48) */
  readonly addresses: (read: Reader, view: ProxyView, service: Service) => ReadonlyArray<string>
  /** ExternalName services that lead to the service, also through others */
  readonly aliases: (read: Reader, view: ProxyView, service: Service) => ReadonlyArray<NamespacedHost>
  /** identities that clients accept for the service (S-45) */
  readonly accounts: (read: Reader, service: Service) => ReadonlyArray<string>
  /** names of the proxy's EDS clusters, sorted (S-50) */
  readonly clusterNames: (read: Reader, view: ProxyView) => ReadonlyArray<string>
  /** everything that these queries read */
  readonly reads: ReadonlyArray<Collection<unknown> | Index<unknown>>
}

/** What policies need of service discovery. */
type Discovery = Pick<
  Context.Service.Shape<typeof ServiceDiscovery>,
  "byHostname" | "endpoints" | "reads" | "services" | "workloadLabels"
>

/** The queries over given collections, for those who have no layers. */
export const makePolicyQueries = (
  { config, graph, mesh }: Pick<PolicyInputs, "config" | "graph" | "mesh">,
  discovery: Discovery
): PolicyQueries => {
  const inputs = {
    config,
    graph,
    mesh,
    services: discovery.services,
    servicesByHostname: discovery.byHostname
  }
  const collections = policyCollections(inputs)
  const scopeOf = sidecarScopes(inputs, collections)
  const views = new WeakMap<Proxy, { readonly known: Labels | undefined; readonly view: ProxyView }>()

  const viewOf: PolicyQueries["viewOf"] = (read, proxy) => {
    const last = views.get(proxy)
    const known = discovery.workloadLabels(read, proxy)
    // Asked for every proxy at every push, where its workload is the same almost always.
    if (last !== undefined && last.known === known) {
      if (scopeOf(read, proxy, last.view.labels) === last.view.scope) return last.view
    }
    const placed = placeProxy(proxy, known)
    const next: ProxyView = { proxy, ...placed, scope: scopeOf(read, proxy, placed.labels) }
    const view = last !== undefined && equalViews(last.view, next) ? last.view : next
    views.set(proxy, { known, view })
    return view
  }

  const destinationRule: PolicyQueries["destinationRule"] = (read, view, service) =>
    lookupDestinationRule(read, collections, meshOf(read, mesh).rootNamespace, view, service)

  const forwardsBySni = (read: Reader, { labels, proxy }: ProxyView): boolean =>
    proxy.type === "router" &&
    read
      .lookup(collections.passthroughGateways, autoPassthroughKey)
      .some(([, { selector }]) => selects(selector, labels))

  return {
    mesh: (read) => meshOf(read, mesh),
    viewOf,
    destinationRule,
    peerAuthentication: (read, { labels, namespace }, port) => {
      const { rootNamespace } = meshOf(read, mesh)
      const policiesOf = (of: string) => read.get(collections.peerAuthentications, of)
      const own = namespace === rootNamespace ? undefined : policiesOf(namespace)
      return effectiveMutualTls(policiesOf(rootNamespace), own, labels, port)
    },
    addresses: (read, view, service) => addressesFor(service, view.proxy, view.ipMode, meshOf(read, mesh)),
    aliases: (read, view, service) => {
      const aliases = read.lookup(collections.aliasesByTarget, service.hostname).map(([, alias]) => alias)
      return importedAliases(view.scope, service, aliases)
    },
    accounts: (read, service) =>
      acceptedAccounts(
        service.serviceAccounts,
        read.get(discovery.endpoints, keyOfService(service))?.serviceAccounts ?? [],
        meshOf(read, mesh).trustDomainAliases
      ),
    clusterNames: (read, view) => {
      const sniDnat = forwardsBySni(read, view)
      const names = view.scope.services.flatMap((service) =>
        clustersOfService(service, view.proxy.type, destinationRule(read, view, service), sniDnat)
      )
      return [...new Set(names)].toSorted()
    },
    reads: [
      ...Object.values(collections),
      ...discovery.reads,
      discovery.byHostname,
      discovery.endpoints,
      config.Sidecar,
      mesh
    ]
  }
}

const equalViews = (a: ProxyView, b: ProxyView): boolean =>
  a.scope === b.scope && equalLabels(a.labels, b.labels) && equalLocality(a.locality, b.locality)

/** What a proxy sees: its services, their addresses, identities and policies. */
export class MeshPolicy extends Context.Service<MeshPolicy, PolicyQueries>()(
  "@istiod-lite/mesh-policy/MeshPolicy"
) {
  static readonly layer: Layer.Layer<
    MeshPolicy,
    never,
    DiscoveryGraph | ServiceDiscovery | ObjectSource | MeshConfig
  > = Layer.effect(
    MeshPolicy,
    Effect.gen(function* () {
      const graph = yield* DiscoveryGraph
      const discovery = yield* ServiceDiscovery
      const { config } = yield* ObjectSource
      const mesh = yield* MeshConfig
      const scope = yield* Effect.acquireRelease(
        Effect.sync(() => graph.scope(() => makePolicyQueries({ config, graph, mesh }, discovery))),
        ({ dispose }) => Effect.sync(dispose)
      )
      return scope.value
    })
  )
}
