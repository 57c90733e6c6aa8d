import { type AssignedEndpoint, type AssignedLocality, isGateway } from "./assigned-endpoint.ts"
import { socketKey } from "./unique-addresses.ts"
import { clampWeight, sumOfWeights } from "./weights.ts"

/**
 * Leaves each gateway in one place (D-17). S-64 puts a gateway into every locality that has endpoints behind it; its
 * weights are added up in the best priority's first such locality. Where a near endpoint has the gateway's address,
 * that one gets the weight.
 *
 * @param fixedWeights the localities' weights are shares (`distribute`) that do not follow from their endpoints
 */
export const mergeGateways = (
  localities: ReadonlyArray<AssignedLocality>,
  fixedWeights: boolean
): ReadonlyArray<AssignedLocality> => {
  const inOrder = localities.toSorted((a, b) => a.priority - b.priority).flatMap(({ endpoints }) => endpoints)
  const holders = new Map<string, AssignedEndpoint>()
  for (const endpoint of inOrder) if (!isGateway(endpoint.source)) hold(holders, endpoint)
  const extra = new Map<AssignedEndpoint, number>()
  const merged = new Set<AssignedEndpoint>()
  for (const endpoint of inOrder) {
    if (!isGateway(endpoint.source)) continue
    const holder = hold(holders, endpoint)
    if (holder === endpoint) continue
    merged.add(endpoint)
    extra.set(holder, (extra.get(holder) ?? 0) + endpoint.weight)
  }
  if (merged.size === 0) return localities
  return localities.map((locality) => {
    const endpoints = locality.endpoints
      .filter((endpoint) => !merged.has(endpoint))
      .map((endpoint) => {
        const more = extra.get(endpoint)
        return more === undefined ? endpoint : { ...endpoint, weight: clampWeight(endpoint.weight + more) }
      })
    if (fixedWeights) return { ...locality, endpoints }
    return { ...locality, endpoints, weight: endpoints.length === 0 ? undefined : sumOfWeights(endpoints) }
  })
}

/** Who holds the endpoint's address from now on: the first that came, or the endpoint itself. */
const hold = (holders: Map<string, AssignedEndpoint>, endpoint: AssignedEndpoint): AssignedEndpoint => {
  const key = socketKey(endpoint.address)
  if (key === undefined) return endpoint
  const holder = holders.get(key)
  if (holder === undefined) holders.set(key, endpoint)
  return holder ?? endpoint
}
