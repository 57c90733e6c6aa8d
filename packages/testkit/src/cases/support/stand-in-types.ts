import { untracked } from "@istiod-lite/collections"
import { MeshPolicy, outboundCluster, type PolicyQueries, type ProxyView } from "@istiod-lite/mesh-policy"
import type { Service, XdsGenerator, XdsResource } from "@istiod-lite/model"
import { clusterTypeUrl, listenerTypeUrl, routeTypeUrl, utf8Field } from "@istiod-lite/xds-proto"
import { Effect } from "effect"

/**
 * Clusters, listeners and routes that say as much as they depend on, for cases about the order of types: the product
 * serves endpoints. Each resource has its name in field 1, like Envoy's own, and a description in field 15.
 */
export const standInClusters: StandIn = standIn(clusterTypeUrl, 0, true, (policy, view) =>
  view.scope.services.flatMap((service) => {
    const rule = policy.destinationRule(untracked, view, service)?.rule.trafficPolicy
    const kind = service.resolution === "clientSideLB" ? "EDS" : service.resolution
    return service.ports.map(({ number }) => [
      outboundCluster(service.hostname, number),
      `${kind} ${JSON.stringify(rule ?? {})}`
    ])
  })
)

export const standInListeners: StandIn = standIn(listenerTypeUrl, 3, true, (policy, view) =>
  view.scope.services.map((service) => [
    `${policy.addresses(untracked, view, service).join()}_${portsOf(service)}`,
    service.hostname
  ])
)

export const standInRoutes: StandIn = standIn(routeTypeUrl, 4, false, (_, view) => [
  ["80", view.scope.services.map(({ hostname }) => hostname).join()]
])

type StandIn = Effect.Effect<XdsGenerator, never, MeshPolicy>
type Described = ReadonlyArray<readonly [name: string, description: string]>

function standIn(
  typeUrl: string,
  order: number,
  allResourcesRequired: boolean,
  describe: (policy: PolicyQueries, view: ProxyView) => Described
): StandIn {
  // Generators hand out the same bytes while the content is the same, so that streams share their frames.
  const made = new Map<string, XdsResource>()
  const resourceOf = (name: string, description: string): XdsResource => {
    const known = made.get(name)
    if (known?.version === description) return known
    const bytes = new Uint8Array([...utf8Field(1, name), ...utf8Field(15, description)])
    const resource = { name, version: description, bytes }
    made.set(name, resource)
    return resource
  }
  return Effect.map(MeshPolicy, (policy) => ({
    typeUrl,
    order,
    allResourcesRequired,
    generate: (names, proxy) =>
      describe(policy, policy.viewOf(untracked, proxy))
        .filter(([name]) => names.includes("*") || names.includes(name))
        .map(([name, description]) => resourceOf(name, description)),
    // What these depend on are services; endpoints are a matter of their own.
    scopeOf: ({ full, services }) => (full || services.size > 0 ? "all" : new Set())
  }))
}

const portsOf = ({ ports }: Service): string => ports.map(({ number }) => number).join()
