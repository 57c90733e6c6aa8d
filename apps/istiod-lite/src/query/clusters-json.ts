import { type ClusterObjects, compareText, isKind, type Staleness } from "@istiod-lite/model"
import type { Json, JsonRecord } from "@istiod-lite/registry-aggregate"

/** The clusters whose objects are read, with how many there are of each kind. */
export const clustersJson = (clusters: Iterable<ClusterObjects>, configCluster: string): Json =>
  [...clusters]
    .toSorted((a, b) => compareText(a.cluster, b.cluster))
    .map(({ cluster, objects, stale, synced }) => ({
      cluster,
      config: cluster === configCluster,
      synced: synced(),
      ...staleField(stale?.()),
      objects: Object.fromEntries(
        Object.entries(objects).flatMap(([kind, { size }]) =>
          isKind(kind) && size > 0 ? [[kind, size]] : []
        )
      )
    }))

const staleField = (stale: Staleness | undefined): JsonRecord =>
  stale === undefined ? {} : { stale: { since: new Date(stale.since).toISOString(), because: stale.because } }
