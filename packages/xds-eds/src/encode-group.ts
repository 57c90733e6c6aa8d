import { hash } from "node:crypto"
import { type EndpointGroup, type Locality, parseLocality } from "@istiod-lite/model"
import { type AssignedEndpoint, assignEndpoint } from "./assigned-endpoint.ts"
import { encodeEndpoints } from "./encode-assignment.ts"
import type { EndpointView } from "./endpoint-view.ts"
import { exclusionOf } from "./filter-endpoints.ts"
import { localityKey } from "./group-endpoints.ts"
import { addressHashes } from "./address-hashes.ts"

/** What one group gives to one locality, encoded: the unit that is kept and reused. */
export interface LocalityChunk {
  readonly key: string
  readonly locality: Locality
  /** `lb_endpoints` fields */
  readonly bytes: Uint8Array
  /** of `bytes`; assignments of equal chunks have equal versions, on every replica */
  readonly digest: string
  /** sum, not clamped */
  readonly weight: number
  /** of the socket addresses in it, two numbers each */
  readonly addresses: Uint32Array
}

/** Encodes what a view lets through of a group, whole: an endpoint costs less to encode than to look up (FINDINGS). */
export const encodeGroup = (group: EndpointGroup, view: EndpointView): ReadonlyArray<LocalityChunk> => {
  const byLocality = new Map<string, Array<AssignedEndpoint>>()
  const byText = new Map<string, Array<AssignedEndpoint>>()
  for (const endpoint of group.endpoints) {
    if (exclusionOf(endpoint, group, view) !== undefined) continue
    let members = byText.get(endpoint.locality)
    if (members === undefined) {
      const key = localityKey(endpoint.locality)
      members = byLocality.get(key) ?? []
      byLocality.set(key, members)
      byText.set(endpoint.locality, members)
    }
    members.push(assignEndpoint(endpoint, view))
  }
  return [...byLocality].map(([key, endpoints]) => encodeChunk(key, endpoints))
}

const encodeChunk = (key: string, endpoints: ReadonlyArray<AssignedEndpoint>): LocalityChunk => {
  const bytes = encodeEndpoints(endpoints)
  let weight = 0
  for (const endpoint of endpoints) weight += endpoint.weight
  return {
    key,
    locality: parseLocality(key),
    bytes,
    digest: hash("sha256", bytes, "base64url"),
    weight,
    addresses: addressHashes(endpoints)
  }
}
