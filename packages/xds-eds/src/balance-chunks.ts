import type { Locality } from "@istiod-lite/model"
import type { Client } from "./balance-localities.ts"
import type { ChunkedEndpoints } from "./chunked-endpoints.ts"
import type { EndpointChunk } from "./encode-group.ts"
import { distribute, distributeRule, failoverPriorities, renumber } from "./locality-lb.ts"
import type { EndpointsPlan } from "./plan-assignment.ts"

/** A locality as it will be sent, its endpoints in encoded parts. */
export interface BalancedLocality {
  readonly locality: Locality
  /** by labels (S-67); with the locality it tells this from the others */
  readonly distance: number
  readonly priority: number
  readonly weight: number | undefined
  readonly chunks: ReadonlyArray<EndpointChunk>
}

/**
 * Whether endpoints that the view lets through are sent as they are, so that they can be encoded before they are put
 * together: nothing in the plan replaces or drops some of them. What happens to whole localities does no harm.
 */
export const isJoinable = ({ mutualTlsOnly, view }: EndpointsPlan): boolean =>
  !view.multiNetwork && !mutualTlsOnly

/** The same as `balanceLocalities`, for endpoints that are encoded already. */
export const balanceChunks = (
  { localities }: ChunkedEndpoints,
  { localities: plan }: EndpointsPlan,
  client: Client
): ReadonlyArray<BalancedLocality> => {
  const byLabels = renumber(localities.map(({ distance }) => distance))
  const balanced = localities.map((locality, i) => ({ ...locality, priority: byLabels[i] ?? 0 }))
  if (plan.kind === "failover" && plan.byLocality) {
    const priorities = failoverPriorities(balanced, client.locality, plan.regions)
    return balanced.map((locality, i) => ({ ...locality, priority: priorities[i] ?? 0 }))
  }
  const rule = plan.kind === "distribute" ? distributeRule(plan.rules, client.locality) : undefined
  if (rule === undefined) return balanced
  const shares = distribute(balanced, rule)
  return balanced.map((locality, i) => ({
    ...locality,
    weight: shares[i]?.weight,
    chunks: shares[i]?.kept ? locality.chunks : []
  }))
}
