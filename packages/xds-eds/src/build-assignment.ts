import type { AssignedLocality } from "./assigned-endpoint.ts"
import { balanceLocalities } from "./balance-localities.ts"
import { crossNetworks, requireMutualTls } from "./cross-networks.ts"
import type { EmptyReason, Exclusion } from "./exclusion.ts"
import { groupEndpoints } from "./group-endpoints.ts"
import { type AssignmentInput, type EndpointsPlan, planAssignment } from "./plan-assignment.ts"
import type { BehindGateways } from "./split-horizon.ts"
import { uniqueAddresses } from "./unique-addresses.ts"

/** What a proxy is told of one cluster's endpoints, and what became of those that it is not told of. */
export interface Assignment {
  readonly name: string
  readonly localities: ReadonlyArray<AssignedLocality>
  /** endpoints that are reached through the gateways of their network, which stand in `localities` instead */
  readonly behindGateways: ReadonlyArray<BehindGateways>
  readonly excluded: ReadonlyArray<Exclusion>
  /** why there is no endpoint at all; undefined if there is one */
  readonly empty: EmptyReason | undefined
}

/**
 * The endpoints of one cluster for one proxy (S-60 … S-68): filtered, grouped by locality, other networks replaced by
 * their gateways, addresses made unique, weighed and ordered by locality.
 *
 * Pure and complete: everything left out is in `excluded`. The encoder has a shorter way for the common case, which
 * a property test holds equal to this one.
 */
export const buildAssignment = (input: AssignmentInput): Assignment => {
  const plan = planAssignment(input)
  if (plan.kind === "empty")
    return { name: input.name, localities: [], behindGateways: [], excluded: [], empty: plan.reason }
  const { ipMode, proxy } = input.view
  const grouped = groupEndpoints(plan.endpoints.groups, plan.view)
  const crossed = crossNetworks(grouped.localities, input.gateways, { network: proxy.network, ipMode })
  const secure = plan.mutualTlsOnly ? requireMutualTls(crossed.localities) : { ...crossed, excluded: [] }
  const unique = uniqueAddresses(secure.localities)
  const balanced = balanceLocalities(unique.localities, plan.localities, input.view)
  return {
    name: input.name,
    localities: balanced.localities,
    behindGateways: crossed.behind,
    excluded: [grouped, crossed, secure, unique, balanced].flatMap(({ excluded }) => excluded),
    empty: emptyReason(plan, balanced.localities)
  }
}

const emptyReason = (
  { endpoints: { groups } }: EndpointsPlan,
  localities: ReadonlyArray<AssignedLocality>
): EmptyReason | undefined => {
  if (localities.some(({ endpoints }) => endpoints.length > 0)) return undefined
  return { _tag: groups.some(({ endpoints }) => endpoints.length > 0) ? "AllExcluded" : "NoEndpoints" }
}
