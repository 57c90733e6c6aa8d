import type { Reader } from "@istiod-lite/collections"
import { parseClusterName, type PolicyQueries, type ProxyView } from "@istiod-lite/mesh-policy"
import { gatewaysKey, keyOfService, type NetworkGateway, type ServiceDiscovery } from "@istiod-lite/model"
import type { Context } from "effect"
import type { PeerMode } from "./endpoint-view.ts"
import { indexGateways, type NetworkGateways } from "./network-gateways.ts"
import type { AssignmentInput } from "./plan-assignment.ts"

/** Where the inputs of assignments are found. */
export interface AssignmentSources {
  readonly policy: Pick<PolicyQueries, "destinationRule" | "mesh" | "peerAuthentication" | "viewOf">
  readonly discovery: Pick<Context.Service.Shape<typeof ServiceDiscovery>, "endpoints" | "gateways">
}

/** Gathers what the assignment of a name depends on, as one proxy sees it. */
export const readInput = (
  read: Reader,
  { discovery, policy }: AssignmentSources,
  view: ProxyView,
  name: string,
  peerMode: PeerMode
): AssignmentInput => {
  const cluster = parseClusterName(name)
  const service = cluster && view.scope.byHostname.get(cluster.hostname)
  return {
    name,
    cluster,
    service,
    endpoints: service && read.get(discovery.endpoints, keyOfService(service)),
    view,
    rule: service && policy.destinationRule(read, view, service),
    gateways: indexed(read.get(discovery.gateways, gatewaysKey) ?? noGateways),
    peerMode,
    mesh: policy.mesh(read)
  }
}

const noGateways: ReadonlyArray<NetworkGateway> = []

// The list is one immutable value until a gateway changes, so that its index may live as long as it does.
const indexes = new WeakMap<ReadonlyArray<NetworkGateway>, NetworkGateways>()

const indexed = (gateways: ReadonlyArray<NetworkGateway>): NetworkGateways => {
  const known = indexes.get(gateways)
  if (known !== undefined) return known
  const index = indexGateways(gateways)
  indexes.set(gateways, index)
  return index
}
