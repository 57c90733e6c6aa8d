import { Label, type Labels } from "./labels.ts"
import { parseLocality } from "./locality.ts"

/**
 * Adds where a workload runs to its labels, so that subsets and failover priorities can select by it (S-5).
 * A network label of its own stays; empty facts add nothing.
 */
export const augmentLabels = (
  labels: Labels,
  facts: {
    readonly cluster: string
    /** `region/zone/subzone` */
    readonly locality: string
    readonly node: string
    readonly network: string
  }
): Labels => {
  const out: Record<string, string> = { ...labels }
  const { region, subzone, zone } = parseLocality(facts.locality)
  if (region !== "") out[Label.region] = region
  if (zone !== "") out[Label.zone] = zone
  if (subzone !== "") out[Label.subzone] = subzone
  if (facts.cluster !== "") out[Label.cluster] = facts.cluster
  if (facts.node !== "") out[Label.hostname] = facts.node
  if (facts.network !== "" && !out[Label.network]) out[Label.network] = facts.network
  return out
}
