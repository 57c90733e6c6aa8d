import { type ClusterObjects, compareText, isKind } from "@istiod-lite/model"
import type { Json } from "@istiod-lite/registry-aggregate"

/** The clusters whose objects are read, with how many there are of each kind. */
export const clustersJson = (clusters: Iterable<ClusterObjects>, configCluster: string): Json =>
  [...clusters]
    .toSorted((a, b) => compareText(a.cluster, b.cluster))
    .map(({ cluster, objects, synced }) => ({
      cluster,
      config: cluster === configCluster,
      synced: synced(),
      objects: Object.fromEntries(
        Object.entries(objects).flatMap(([kind, { size }]) =>
          isKind(kind) && size > 0 ? [[kind, size]] : []
        )
      )
    }))
