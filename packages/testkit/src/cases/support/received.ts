import { ClusterLoadAssignment, HealthStatus, type LbEndpoint } from "@istiod-lite/xds-proto"
import type { ReceivedResource, ReceivedResponse } from "../../xds-test-protocol.ts"

/** What of a response a test looks at: resources by name. */
export const namesOf = ({ resources }: ReceivedResponse): ReadonlyArray<string> =>
  resources.map(({ name }) => name).toSorted()

/** `address:port` of the endpoints that a client may send requests to, sorted. */
export const routable = (resource: ReceivedResource | undefined): ReadonlyArray<string> =>
  endpointsOf(resource).filter(isRoutable).map(addressOf).toSorted()

/** The same with their weights: `address:port*weight`. */
export const weighted = (resource: ReceivedResource | undefined): ReadonlyArray<string> =>
  endpointsOf(resource)
    .filter(isRoutable)
    .map((endpoint) => `${addressOf(endpoint)}*${endpoint.loadBalancingWeight ?? 1}`)
    .toSorted()

const endpointsOf = (resource: ReceivedResource | undefined): ReadonlyArray<LbEndpoint> =>
  resource === undefined
    ? []
    : ClusterLoadAssignment.decode(resource.bytes).endpoints.flatMap(({ lbEndpoints }) => lbEndpoints)

const isRoutable = ({ healthStatus }: LbEndpoint): boolean =>
  healthStatus === HealthStatus.UNKNOWN || healthStatus === HealthStatus.HEALTHY

const addressOf = ({ hostIdentifier }: LbEndpoint): string => {
  const address = hostIdentifier?.$case === "endpoint" ? hostIdentifier.value.address?.address : undefined
  if (address?.$case !== "socketAddress") return "?"
  const { address: host, portSpecifier } = address.value
  return `${host}:${portSpecifier?.value ?? ""}`
}
