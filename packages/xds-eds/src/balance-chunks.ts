import { comparesLabels, type Client } from "./balance-localities.ts"
import type { ChunkedEndpoints } from "./chunked-endpoints.ts"
import type { LocalityChunk } from "./encode-group.ts"
import { distribute, distributeRule, failoverPriorities } from "./locality-lb.ts"
import type { EndpointsPlan } from "./plan-assignment.ts"
import type { Locality } from "@istiod-lite/model"

/** A locality as it will be sent, its endpoints in encoded parts. */
export interface BalancedLocality {
  readonly locality: Locality
  readonly priority: number
  readonly weight: number | undefined
  readonly chunks: ReadonlyArray<LocalityChunk>
}

/**
 * Whether encoded parts may be sent as they are: nothing in the plan replaces, drops or divides endpoints that the
 * view lets through. Everything that works on whole localities does no harm.
 */
export const isJoinable = (plan: EndpointsPlan, client: Client, chunked: ChunkedEndpoints): boolean =>
  !plan.view.multiNetwork &&
  !plan.mutualTlsOnly &&
  !comparesLabels(plan.localities, client.labels) &&
  !chunked.hasDuplicates

/** The same as `balanceLocalities`, for endpoints that are encoded already. */
export const balanceChunks = (
  { localities }: ChunkedEndpoints,
  { localities: plan }: EndpointsPlan,
  client: Client
): ReadonlyArray<BalancedLocality> => {
  const balanced = localities.map((locality) => ({ ...locality, priority: 0 }))
  if (plan.kind === "none") return balanced
  if (plan.kind === "failover") {
    if (!plan.byLocality) return balanced
    const priorities = failoverPriorities(balanced, client.locality, plan.regions)
    return balanced.map((locality, i) => ({ ...locality, priority: priorities[i] ?? 0 }))
  }
  const rule = distributeRule(plan.rules, client.locality)
  if (rule === undefined) return balanced
  const shares = distribute(balanced, rule)
  return balanced.map((locality, i) => ({
    ...locality,
    weight: shares[i]?.weight,
    chunks: shares[i]?.kept ? locality.chunks : []
  }))
}
