import type { EndpointGroup, Locality, ServiceEndpoints } from "@istiod-lite/model"
import { hasDuplicates } from "./address-hashes.ts"
import { encodeGroup, type LocalityChunk } from "./encode-group.ts"
import type { EndpointView } from "./endpoint-view.ts"
import { clampWeight } from "./weights.ts"

/** The chunks of one locality, over all groups. */
export interface ChunkedLocality {
  readonly locality: Locality
  /** clamped (S-63) */
  readonly weight: number
  readonly chunks: ReadonlyArray<LocalityChunk>
}

/** The endpoints of a service port as one view lets them through, encoded in parts. */
export interface ChunkedEndpoints {
  /** what it was made of: while this is the same value, nothing has changed */
  readonly endpoints: ServiceEndpoints
  readonly chunks: ReadonlyMap<EndpointGroup, ReadonlyArray<LocalityChunk>>
  /** sorted by the locality's text */
  readonly localities: ReadonlyArray<ChunkedLocality>
  /** an address stands twice (D-17): the parts are not simply to be joined */
  readonly hasDuplicates: boolean
}

/** Encodes the groups that are new since `last`, and takes over the others. `last` must be of an equal view. */
export const chunkEndpoints = (
  endpoints: ServiceEndpoints,
  view: EndpointView,
  last: ChunkedEndpoints | undefined
): ChunkedEndpoints => {
  const chunks = new Map<EndpointGroup, ReadonlyArray<LocalityChunk>>()
  const byLocality = new Map<string, Array<LocalityChunk>>()
  for (const group of endpoints.groups) {
    const encoded = last?.chunks.get(group) ?? encodeGroup(group, view)
    chunks.set(group, encoded)
    for (const chunk of encoded) {
      const members = byLocality.get(chunk.key)
      if (members === undefined) byLocality.set(chunk.key, [chunk])
      else members.push(chunk)
    }
  }
  const localities = [...byLocality]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, members]) => joinLocality(members))
  const addresses = localities.flatMap((joined) => joined.chunks.map((chunk) => chunk.addresses))
  return { endpoints, chunks, localities, hasDuplicates: hasDuplicates(addresses) }
}

const joinLocality = (chunks: ReadonlyArray<LocalityChunk>): ReadonlyArray<ChunkedLocality> => {
  const [first] = chunks
  if (first === undefined) return []
  const weight = clampWeight(chunks.reduce((sum, chunk) => sum + chunk.weight, 0))
  return [{ locality: first.locality, weight, chunks }]
}
