import {
  compareText,
  type EndpointGroup,
  hasDuplicatePairs,
  hasDuplicatePairsSince,
  type Locality,
  type ServiceEndpoints
} from "@istiod-lite/model"
import { type EndpointChunk, encodeGroup } from "./encode-group.ts"
import type { EndpointView } from "./endpoint-view.ts"
import type { PreferredLabels } from "./failover-priority.ts"
import { clampWeight } from "./weights.ts"

/** The chunks of one locality and distance, over all groups. */
export interface ChunkedLocality {
  readonly locality: Locality
  readonly distance: number
  /** clamped (S-63) */
  readonly weight: number
  readonly chunks: ReadonlyArray<EndpointChunk>
}

/** The endpoints of a service port as one view lets them through, encoded in parts. */
export interface ChunkedEndpoints {
  /** what it was made of: while this is the same value, nothing has changed */
  readonly endpoints: ServiceEndpoints
  readonly chunks: ReadonlyMap<EndpointGroup, ReadonlyArray<EndpointChunk>>
  /** sorted by the locality's text, then by distance */
  readonly localities: ReadonlyArray<ChunkedLocality>
  /** an address stands twice (D-17): the parts are not simply to be joined */
  readonly hasDuplicates: boolean
}

/**
 * Encodes the groups that are new since `last`, and takes over the others; of a new one, the endpoints that the group at
 * its place had.
 *
 * @param last of an equal view and equal preferred labels
 */
export const chunkEndpoints = (
  endpoints: ServiceEndpoints,
  view: EndpointView,
  preferred: PreferredLabels | undefined,
  last: ChunkedEndpoints | undefined
): ChunkedEndpoints => {
  const chunksBefore = (group: EndpointGroup | undefined): ReadonlyArray<EndpointChunk> | undefined =>
    group && last?.chunks.get(group)
  const chunks = new Map(
    endpoints.groups.map((group, i) => [
      group,
      chunksBefore(group) ?? encodeGroup(group, view, preferred, chunksBefore(last?.endpoints.groups[i]))
    ])
  )
  const all = endpoints.groups.flatMap((group) => chunks.get(group) ?? [])
  const localities = [...Map.groupBy(all, ({ distance, key }) => `${key}|${distance}`).values()]
    .flatMap(joinChunks)
    .toSorted((a, b) => compareText(a.key, b.key) || a.distance - b.distance)
  return {
    endpoints,
    chunks,
    localities,
    hasDuplicates: hasDuplicates(all, last)
  }
}

/** Whether an address stands twice. If none did before, only what is new is looked at. */
const hasDuplicates = (chunks: ReadonlyArray<EndpointChunk>, last: ChunkedEndpoints | undefined): boolean => {
  const addresses = addressesOf(chunks)
  if (last === undefined || last.hasDuplicates) return hasDuplicatePairs(addresses)
  return hasDuplicatePairsSince(addressesOf([...last.chunks.values()].flat()), addresses)
}

const addressesOf = (chunks: ReadonlyArray<EndpointChunk>): ReadonlyArray<Uint32Array> =>
  chunks.map(({ addresses }) => addresses)

const joinChunks = (
  chunks: ReadonlyArray<EndpointChunk>
): ReadonlyArray<ChunkedLocality & { readonly key: string }> => {
  const [first] = chunks
  if (first === undefined) return []
  const { distance, key, locality } = first
  const weight = clampWeight(chunks.reduce((sum, chunk) => sum + chunk.weight, 0))
  return [{ key, locality, distance, weight, chunks }]
}
