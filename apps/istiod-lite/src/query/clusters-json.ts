import {
  type ClusterStatus,
  compareText,
  isKind,
  type ObjectSource,
  type Staleness
} from "@istiod-lite/model"
import type { Json, JsonRecord } from "@istiod-lite/registry-aggregate"

/**
 * The clusters whose objects are read, with how many there are of each kind; of those behind an API server also how they
 * are followed, and what is wrong.
 */
export const clustersJson = (
  { clusters, config, configCluster }: Pick<ObjectSource["Service"], "clusters" | "config" | "configCluster">,
  statuses: ReadonlyArray<ClusterStatus>
): Json => {
  const statusOf = new Map(statuses.map((status) => [status.cluster, status]))
  return [...clusters.values()]
    .toSorted((a, b) => compareText(a.cluster, b.cluster))
    .map(({ cluster, objects, stale, synced }) => {
      const status = statusOf.get(cluster)
      return {
        cluster,
        config: cluster === configCluster,
        synced: status === undefined ? synced() : status.state === "synced" || status.state === "stale",
        ...staleField(stale?.()),
        ...(status === undefined ? {} : statusFields(status)),
        objects: Object.fromEntries(
          [...Object.entries(objects), ...(cluster === configCluster ? Object.entries(config) : [])].flatMap(
            ([kind, { size }]) => (isKind(kind) && size > 0 ? [[kind, size]] : [])
          )
        )
      }
    })
}

const statusFields = ({ error, kinds, server, since, state }: ClusterStatus): JsonRecord => {
  const problems = kinds.flatMap(({ kind, problem, state: ofKind }) =>
    problem === undefined ? [] : [{ kind, state: ofKind, problem }]
  )
  return {
    server,
    state,
    since: new Date(since).toISOString(),
    ...(error === undefined ? {} : { error }),
    ...(problems.length === 0 ? {} : { problems })
  }
}

const staleField = (stale: Staleness | undefined): JsonRecord =>
  stale === undefined ? {} : { stale: { since: new Date(stale.since).toISOString(), because: stale.because } }
