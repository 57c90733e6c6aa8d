import { equalLocality, type Locality, type LocalityLbSetting, parseLocality } from "@istiod-lite/model"

/** What `distribute` makes of a locality: its weight, and whether its endpoints get any traffic. */
export interface Share {
  readonly weight: number | undefined
  readonly kept: boolean
}

interface Weighted {
  readonly locality: Locality
  readonly weight: number | undefined
}

const covers = (part: string, actual: string): boolean => part === "*" || part === "" || part === actual

export type DistributeRule = LocalityLbSetting["distribute"][number]

/** Whether a rule's `region/zone/subzone` covers the locality; `*` and parts that are left out cover everything. */
export const localityMatches = (locality: Locality, rule: string): boolean => {
  const wanted = parseLocality(rule)
  return (
    (wanted.region === "*" || wanted.region === locality.region) &&
    covers(wanted.zone, locality.zone) &&
    covers(wanted.subzone, locality.subzone)
  )
}

/** The rule for clients in this locality: the first that covers it. */
export const distributeRule = (
  rules: LocalityLbSetting["distribute"],
  from: Locality
): DistributeRule | undefined => rules.find((rule) => localityMatches(from, rule.from))

/**
 * The share of each locality under a `distribute` rule (S-67), in the order given. A destination that covers several
 * localities divides its percentage by their weights, rounded up. Localities that no destination covers keep their
 * weight but no endpoints.
 */
export const distribute = (
  localities: ReadonlyArray<Weighted>,
  rule: DistributeRule
): ReadonlyArray<Share> => {
  const shares: Array<Share> = localities.map(({ weight }) => ({ weight, kept: false }))
  for (const destination of Object.keys(rule.to).toSorted()) {
    const percentage = rule.to[destination] ?? 0
    const covered = localities
      .map(({ locality, weight }, at) => ({ at, locality, weight: weight ?? 1 }))
      .filter(({ at, locality }) => shares[at]?.kept === false && localityMatches(locality, destination))
    const total = covered.reduce((sum, { weight }) => sum + weight, 0)
    for (const { at, weight } of covered) {
      const share = Math.ceil((weight * percentage) / total)
      shares[at] = { weight: share > 0 ? share : localities[at]?.weight, kept: true }
    }
  }
  return shares
}

/**
 * The priority of each locality by its distance from the client (S-67): same subzone, same zone, same region, then
 * other regions, of which the one named by `regions` comes first. Priorities that are already there weigh more.
 */
export const failoverPriorities = (
  localities: ReadonlyArray<{ readonly locality: Locality; readonly priority: number }>,
  from: Locality,
  regions: LocalityLbSetting["failover"]
): ReadonlyArray<number> => {
  const next = regions.find((rule) => rule.from === from.region)?.to
  return renumber(
    localities.map(({ locality, priority }) => priority * distances + distance(from, locality, next))
  )
}

/** how many values `distance` has */
const distances = 5

const distance = (from: Locality, to: Locality, nextRegion: string | undefined): number => {
  if (equalLocality(from, to)) return 0
  if (from.region === to.region) return from.zone === to.zone ? 1 : 2
  return nextRegion === undefined || nextRegion === to.region ? 3 : 4
}

/** The same order in the numbers 0, 1, 2, …: clients do not go past a priority that nobody has. */
export const renumber = (priorities: ReadonlyArray<number>): ReadonlyArray<number> => {
  const rank = new Map([...new Set(priorities)].toSorted((a, b) => a - b).map((value, i) => [value, i]))
  return priorities.map((value) => rank.get(value) ?? 0)
}
