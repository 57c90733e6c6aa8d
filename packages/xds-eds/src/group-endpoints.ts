import { type EndpointGroup, formatLocality, parseLocality } from "@istiod-lite/model"
import {
  type AssignedEndpoint,
  type AssignedLocality,
  assignEndpoint,
  type Step
} from "./assigned-endpoint.ts"
import type { EndpointView } from "./endpoint-view.ts"
import type { Exclusion } from "./exclusion.ts"
import { exclusionOf } from "./filter-endpoints.ts"
import { sumOfWeights } from "./weights.ts"

/**
 * The key of a locality as the wire knows it: `eu/eu-1` and `eu/eu-1/` are one, and clients refuse it twice (S-63).
 *
 * @param raw `region/zone/subzone` as the source of the endpoint gave it
 */
export const localityKey = (raw: string): string => formatLocality(parseLocality(raw))

/** The endpoints that the view lets through, by locality (S-62, S-63); localities are sorted by their text. */
export const groupEndpoints = (groups: ReadonlyArray<EndpointGroup>, view: EndpointView): Step => {
  const byLocality = new Map<string, Array<AssignedEndpoint>>()
  const excluded: Array<Exclusion> = []
  for (const group of groups) {
    for (const endpoint of group.endpoints) {
      const reason = exclusionOf(endpoint, group, view)
      if (reason !== undefined) {
        excluded.push({ endpoint, reason })
        continue
      }
      const key = localityKey(endpoint.locality)
      const assigned = assignEndpoint(endpoint, view)
      const members = byLocality.get(key)
      if (members === undefined) byLocality.set(key, [assigned])
      else members.push(assigned)
    }
  }
  const localities = [...byLocality]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, endpoints]): AssignedLocality => ({
      locality: parseLocality(key),
      priority: 0,
      weight: sumOfWeights(endpoints),
      endpoints
    }))
  return { localities, excluded }
}
