import { hasLabels, type Labels, type Locality } from "@istiod-lite/model"
import { type AssignedLocality, isGateway, type Step } from "./assigned-endpoint.ts"
import type { Exclusion } from "./exclusion.ts"
import { type PreferredLabels, preferredLabels, splitByLabels } from "./failover-priority.ts"
import { distribute, distributeRule, type DistributeRule, failoverPriorities } from "./locality-lb.ts"
import type { LocalityPlan } from "./locality-plan.ts"
import { mergeGateways } from "./merge-gateways.ts"

/** Where the client stands: what failover and distribution compare with. */
export interface Client {
  readonly locality: Locality
  readonly labels: Labels
}

/** Gives localities their weights and priorities (S-67), then leaves each gateway in one of them (D-17). */
export const balanceLocalities = (
  localities: ReadonlyArray<AssignedLocality>,
  plan: LocalityPlan,
  client: Client
): Step => {
  const rule = plan.kind === "distribute" ? distributeRule(plan.rules, client.locality) : undefined
  const shared = rule === undefined ? { localities, excluded: [] } : shareOut(localities, rule)
  const ordered = plan.kind === "failover" ? order(shared.localities, plan, client) : shared.localities
  return { localities: mergeGateways(ordered, rule !== undefined), excluded: shared.excluded }
}

const shareOut = (localities: ReadonlyArray<AssignedLocality>, rule: DistributeRule): Step => {
  const shares = distribute(localities, rule)
  const excluded: Array<Exclusion> = []
  const shared = localities.map((locality, i) => {
    const share = shares[i]
    if (share === undefined || share.kept) return { ...locality, weight: share?.weight }
    for (const { source } of locality.endpoints) {
      if (isGateway(source)) continue
      const reason = { _tag: "NoShare", from: rule.from, locality: source.locality } as const
      excluded.push({ endpoint: source, reason })
    }
    return { ...locality, endpoints: [] }
  })
  return { localities: shared, excluded }
}

const order = (
  localities: ReadonlyArray<AssignedLocality>,
  plan: Extract<LocalityPlan, { kind: "failover" }>,
  client: Client
): ReadonlyArray<AssignedLocality> => {
  const preferred = preferredBy(plan, client)
  const split = preferred === undefined ? localities : splitByLabels(localities, preferred)
  if (!plan.byLocality) return split
  const priorities = failoverPriorities(split, client.locality, plan.regions)
  return split.map((locality, i) => ({ ...locality, priority: priorities[i] ?? 0 }))
}

/** What labels to compare endpoints by, if any; a client without any labels has nothing to compare with. */
export const preferredBy = (plan: LocalityPlan, client: Client): PreferredLabels | undefined =>
  plan.kind === "failover" && plan.labels.length > 0 && hasLabels(client.labels)
    ? preferredLabels(plan.labels, client.labels)
    : undefined
