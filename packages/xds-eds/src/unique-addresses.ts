import {
  compareText,
  type Endpoint,
  type EndpointOrigin,
  isUsable,
  normaliseAddress
} from "@istiod-lite/model"
import {
  type AssignedEndpoint,
  type AssignedLocality,
  type EndpointAddress,
  isGateway,
  type Step
} from "./assigned-endpoint.ts"
import { hostPort } from "./endpoint-metadata.ts"
import type { Exclusion } from "./exclusion.ts"
import { sumOfWeights } from "./weights.ts"

/** The text that identifies a socket address, or undefined for other kinds, which may repeat. */
export const socketKey = (address: EndpointAddress): string | undefined =>
  address.kind === "socket" ? hostPort(canonicalIp(address.address), address.port) : undefined

/** Only IPv6 has several texts for one address. */
export const canonicalIp = (address: string): string =>
  address.includes(":") ? normaliseAddress(address) : address

/**
 * Leaves every socket address to one workload (D-17): gRPC clients refuse an assignment with an address twice. A
 * locality without any other endpoint goes with its last one. Gateways are not looked at; `mergeGateways` adds them up.
 */
export const uniqueAddresses = (localities: ReadonlyArray<AssignedLocality>): Step => {
  const winners = new Map<string, Endpoint>()
  let unique = true
  for (const { endpoints } of localities) {
    for (const { address, source } of endpoints) {
      const key = isGateway(source) ? undefined : socketKey(address)
      if (key === undefined || isGateway(source)) continue
      const holder = winners.get(key)
      if (holder !== undefined) unique = false
      // Ties keep the one that came first: inline endpoints are in list order.
      if (holder === undefined || compareClaims(source, holder) < 0) winners.set(key, source)
    }
  }
  return unique ? { localities, excluded: [] } : withoutLosers(localities, winners)
}

const withoutLosers = (
  localities: ReadonlyArray<AssignedLocality>,
  winners: ReadonlyMap<string, Endpoint>
): Step => {
  const taken = new Set<string>()
  const excluded: Array<Exclusion> = []
  const keeps = ({ address, source }: AssignedEndpoint): boolean => {
    const key = socketKey(address)
    const winner = key === undefined ? undefined : winners.get(key)
    if (key === undefined || winner === undefined || isGateway(source)) return true
    // One endpoint may itself be listed twice: identity alone does not tell which of the two has won.
    if (source === winner && !taken.has(key)) {
      taken.add(key)
      return true
    }
    excluded.push({ endpoint: source, reason: { _tag: "AddressTaken", address: key, winner } })
    return false
  }
  const kept = localities.flatMap((locality) => {
    const endpoints = locality.endpoints.filter(keeps)
    if (endpoints.length === locality.endpoints.length) return [locality]
    return endpoints.length === 0 ? [] : [{ ...locality, endpoints, weight: sumOfWeights(endpoints) }]
  })
  return { localities: kept, excluded }
}

/**
 * Negative if the first has the better claim to an address: usable, a pod, the later creation. Times are whole seconds;
 * of two objects made in one of them, the later name counts as the later object.
 */
const compareClaims = (a: Endpoint, b: Endpoint): number =>
  Number(isUsable(b)) - Number(isUsable(a)) ||
  rankOf[a.origin.kind] - rankOf[b.origin.kind] ||
  compareText(b.origin.creationTime, a.origin.creationTime) ||
  compareText(b.origin.namespace, a.origin.namespace) ||
  compareText(b.origin.name, a.origin.name)

const rankOf: Readonly<Record<EndpointOrigin["kind"], number>> = {
  Pod: 0,
  Address: 1,
  WorkloadEntry: 2,
  Inline: 2
}
