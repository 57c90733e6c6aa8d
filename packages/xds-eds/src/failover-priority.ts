import { Label, type Labels } from "@istiod-lite/model"
import type { AssignedLocality } from "./assigned-endpoint.ts"
import { renumber } from "./locality-lb.ts"
import { sumOfWeights } from "./weights.ts"

/** The labels that make an endpoint near, with the values that are best for one client. */
export interface PreferredLabels {
  /** most important first; an empty value is also that of a label that is not there: both sides lacking it is a match */
  readonly values: ReadonlyArray<readonly [label: string, value: string]>
  /**
   * The first label is the network: it does not end the comparison, but puts everything of other networks behind
   * everything of the client's own.
   */
  readonly networkFirst: boolean
}

/** @param priorities `label`, whose best value is the client's own, or `label=value` */
export const preferredLabels = (priorities: ReadonlyArray<string>, client: Labels): PreferredLabels => ({
  values: priorities.map((text) => {
    const [label = "", value, ...more] = text.split("=")
    return [label, value === undefined || more.length > 0 ? (client[label] ?? "") : value]
  }),
  networkFirst: priorities[0] === Label.network
})

/** How far an endpoint is by its labels (S-67): 0 if all are as preferred, else the more the earlier the first difference. */
export const labelDistance = (endpoint: Labels, { networkFirst, values }: PreferredLabels): number => {
  const count = values.length
  const differs = (i: number): boolean => {
    const wanted = values[i]
    return wanted !== undefined && (endpoint[wanted[0]] ?? "") !== wanted[1]
  }
  const otherNetwork = networkFirst && differs(0) ? count : 0
  for (let i = networkFirst ? 1 : 0; i < count; i++) if (differs(i)) return otherNetwork + count - i
  return otherNetwork
}

/** Divides each locality into parts of equal distance, nearest first, and numbers the parts' priorities. */
export const splitByLabels = (
  localities: ReadonlyArray<AssignedLocality>,
  preferred: PreferredLabels
): ReadonlyArray<AssignedLocality> => {
  const parts = localities.flatMap(({ endpoints, locality }) => {
    const byDistance = Map.groupBy(endpoints, ({ labels }) => labelDistance(labels, preferred))
    return [...byDistance]
      .toSorted(([a], [b]) => a - b)
      .map(([priority, members]) => ({
        locality,
        priority,
        weight: sumOfWeights(members),
        endpoints: members
      }))
  })
  const priorities = renumber(parts.map(({ priority }) => priority))
  return parts.map((part, i) => ({ ...part, priority: priorities[i] ?? 0 }))
}
