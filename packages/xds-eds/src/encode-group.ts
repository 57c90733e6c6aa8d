import { hash } from "node:crypto"
import {
  effectiveWeight,
  type Endpoint,
  type EndpointGroup,
  type Locality,
  parseLocality
} from "@istiod-lite/model"
import { type EncodedMembers, encodeMembers } from "./encode-members.ts"
import type { EndpointView } from "./endpoint-view.ts"
import { labelDistance, type PreferredLabels } from "./failover-priority.ts"
import { exclusionOf } from "./filter-endpoints.ts"
import { localityKey } from "./group-endpoints.ts"

/** What one group gives to one locality at one distance, encoded: the unit that is kept and reused. */
export interface EndpointChunk extends EncodedMembers {
  /** `localityKey` */
  readonly key: string
  readonly locality: Locality
  /** by labels (S-67); 0 where none are preferred */
  readonly distance: number
  /** of `bytes`; assignments of equal chunks have equal versions, on every replica */
  readonly digest: string
  /** sum, not clamped */
  readonly weight: number
}

/**
 * Encodes what a view lets through of a group.
 *
 * @param before the chunks of the group as it was before, of an equal view and equal preferred labels
 */
export const encodeGroup = (
  group: EndpointGroup,
  view: EndpointView,
  preferred: PreferredLabels | undefined,
  before: ReadonlyArray<EndpointChunk> = []
): ReadonlyArray<EndpointChunk> => {
  const keyOf = localityKeys()
  const passed = group.endpoints.filter((endpoint) => exclusionOf(endpoint, group, view) === undefined)
  const encode = (key: string, distance: number, members: ReadonlyArray<Endpoint>): EndpointChunk => {
    const known = before.find((chunk) => chunk.key === key && chunk.distance === distance)
    return chunkOf(key, distance, encodeMembers(members, view, known))
  }
  return [...Map.groupBy(passed, ({ locality }) => keyOf(locality))].flatMap(([key, endpoints]) => {
    if (preferred === undefined) return [encode(key, 0, endpoints)]
    const byDistance = Map.groupBy(endpoints, ({ labels }) => labelDistance(labels, preferred))
    return [...byDistance].map(([distance, members]) => encode(key, distance, members))
  })
}

/** `localityKey` for a group, whose endpoints have few different texts. */
const localityKeys = (): ((text: string) => string) => {
  const keys = new Map<string, string>()
  return (text) => {
    const known = keys.get(text)
    if (known !== undefined) return known
    const key = localityKey(text)
    keys.set(text, key)
    return key
  }
}

const chunkOf = (key: string, distance: number, encoded: EncodedMembers): EndpointChunk => ({
  ...encoded,
  key,
  locality: parseLocality(key),
  distance,
  digest: hash("sha256", encoded.bytes, "base64url"),
  weight: encoded.members.reduce((sum, endpoint) => sum + effectiveWeight(endpoint), 0)
})
