import { hash } from "node:crypto"
import { type EndpointGroup, type Locality, parseLocality } from "@istiod-lite/model"
import { addressHashes } from "./address-hashes.ts"
import { type AssignedEndpoint, assignEndpoint } from "./assigned-endpoint.ts"
import { encodeEndpoints } from "./encode-assignment.ts"
import type { EndpointView } from "./endpoint-view.ts"
import { labelDistance, type PreferredLabels } from "./failover-priority.ts"
import { exclusionOf } from "./filter-endpoints.ts"
import { localityKey } from "./group-endpoints.ts"

/** What one group gives to one locality at one distance, encoded: the unit that is kept and reused. */
export interface EndpointChunk {
  /** `localityKey` */
  readonly key: string
  readonly locality: Locality
  /** by labels (S-67); 0 where none are preferred */
  readonly distance: number
  /** `lb_endpoints` fields */
  readonly bytes: Uint8Array
  /** of `bytes`; assignments of equal chunks have equal versions, on every replica */
  readonly digest: string
  /** sum, not clamped */
  readonly weight: number
  /** how many endpoints */
  readonly count: number
  /** of the socket addresses in it */
  readonly addresses: Uint32Array
}

/** Encodes what a view lets through of a group, whole: to look single endpoints up would cost as much (FINDINGS). */
export const encodeGroup = (
  group: EndpointGroup,
  view: EndpointView,
  preferred: PreferredLabels | undefined
): ReadonlyArray<EndpointChunk> => {
  const keyOf = localityKeys()
  const passed = group.endpoints.filter((endpoint) => exclusionOf(endpoint, group, view) === undefined)
  return [...Map.groupBy(passed, ({ locality }) => keyOf(locality))].flatMap(([key, endpoints]) => {
    const assigned = endpoints.map((endpoint) => assignEndpoint(endpoint, view))
    if (preferred === undefined) return [encodeChunk(key, 0, assigned)]
    const byDistance = Map.groupBy(assigned, ({ labels }) => labelDistance(labels, preferred))
    return [...byDistance].map(([distance, members]) => encodeChunk(key, distance, members))
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

const encodeChunk = (
  key: string,
  distance: number,
  endpoints: ReadonlyArray<AssignedEndpoint>
): EndpointChunk => {
  const bytes = encodeEndpoints(endpoints)
  return {
    key,
    locality: parseLocality(key),
    distance,
    bytes,
    digest: hash("sha256", bytes, "base64url"),
    weight: endpoints.reduce((sum, { weight }) => sum + weight, 0),
    count: endpoints.length,
    addresses: addressHashes(endpoints)
  }
}
