import { untracked } from "@istiod-lite/collections"
import type { Proxy, XdsGenerator, XdsResource } from "@istiod-lite/model"
import { ClusterLoadAssignment, HealthStatus, type LbEndpoint, type Locality } from "@istiod-lite/xds-proto"
import { Effect } from "effect"
import type { DetachedControlPlane } from "../compose/compose-from-inputs.ts"
import { hostPort } from "../tables/endpoints-table.ts"

/** What a proxy is told, in the very bytes that it would be sent. */
export interface ProxyView {
  /** service ports that it serves: `cart.shop.svc.cluster.local:80` */
  readonly targets: ReadonlySet<string>
  /** assignments by cluster name */
  readonly assignments: ReadonlyMap<string, XdsResource>
}

/** How many assignments are made before others have their turn. */
const portionSize = 100

/** The view of one proxy at this moment; equal assignments are encoded once for all proxies. */
export const viewOfProxy = (
  { discovery, policy }: Pick<DetachedControlPlane, "discovery" | "policy">,
  generator: XdsGenerator,
  proxy: Proxy
): Effect.Effect<ProxyView> =>
  Effect.gen(function* () {
    const names = policy.clusterNames(untracked, policy.viewOf(untracked, proxy))
    const assignments = new Map<string, XdsResource>()
    for (let start = 0; start < names.length; start += portionSize) {
      for (const resource of generator.generate(names.slice(start, start + portionSize), proxy))
        assignments.set(resource.name, resource)
      yield* Effect.yieldNow
    }
    const targets = discovery
      .targets(untracked, proxy)
      .map(({ port, service }) => `${service.hostname}:${port.number}`)
    return { targets: new Set(targets), assignments }
  })

/** An endpoint as one client is told of it. */
export interface SentEndpoint {
  readonly address: string
  readonly health: string
  readonly weight: number
  readonly priority: number
  readonly locality: string
}

/** The endpoints of an assignment, by address; of no assignment, none. */
export const endpointsOfAssignment = (
  resource: XdsResource | undefined
): ReadonlyMap<string, SentEndpoint> => {
  if (resource === undefined) return new Map()
  const { endpoints } = ClusterLoadAssignment.decode(resource.bytes)
  return new Map(
    endpoints.flatMap(({ lbEndpoints, locality, priority }) =>
      lbEndpoints.map((endpoint) => {
        const address = addressOf(endpoint)
        return [
          address,
          {
            address,
            health: healthText(endpoint.healthStatus),
            weight: endpoint.loadBalancingWeight ?? 1,
            priority,
            locality: localityText(locality)
          }
        ] as const
      })
    )
  )
}

/** Envoy takes what is not said for healthy. */
const healthText = (status: number): string =>
  Object.entries(HealthStatus).find(([, value]) => value === (status || HealthStatus.HEALTHY))?.[0] ??
  String(status)

const localityText = (locality: Locality | undefined): string =>
  [locality?.region, locality?.zone, locality?.subZone].filter(Boolean).join("/")

const addressOf = ({ hostIdentifier }: LbEndpoint): string => {
  const address = hostIdentifier?.$case === "endpoint" ? hostIdentifier.value.address?.address : undefined
  if (address === undefined) return ""
  if (address.$case === "pipe") return address.value.path
  if (address.$case === "envoyInternalAddress")
    return `${address.value.endpointId} through ${address.value.addressNameSpecifier?.value ?? ""}`
  const { portSpecifier } = address.value
  return hostPort(address.value.address, portSpecifier?.$case === "portValue" ? portSpecifier.value : 0)
}
