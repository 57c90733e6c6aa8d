import {
  type ClusterStatus,
  type Registry,
  type Service,
  serviceKey,
  shardKey,
  type Staleness
} from "@istiod-lite/model"
import { isRecord, type Json, type JsonRecord } from "@istiod-lite/registry-aggregate"

/** How answers say that a registry is known only as it was, or (`missing`) not at all. */
const staleJson = ({ because, since }: Staleness, registry: string, missing: boolean): JsonRecord => ({
  registry,
  since: new Date(since).toISOString(),
  because,
  ...(missing ? { missing } : {})
})

/** What answers say beside what stale registries told; nothing where all is known as it is. */
export interface StaleNotes {
  /** the stale registries, and those of clusters that are not synced */
  readonly all: ReadonlyArray<JsonRecord>
  readonly ofService: (service: Pick<Service, "hostname" | "namespace">) => JsonRecord
  readonly ofShard: (shard: string) => JsonRecord
}

/**
 * The notes as they are now: `stale` fields for services and endpoints.
 *
 * @param statuses of the clusters that are followed, to tell one that was never read from one that was
 */
export const staleNotes = (
  registries: Iterable<Registry>,
  statuses: ReadonlyArray<ClusterStatus> = []
): StaleNotes => {
  const neverRead = new Map(
    statuses.flatMap((status) => (isNeverRead(status) ? [[status.cluster, status]] : []))
  )
  const stale = [...registries].flatMap((registry) => {
    const status = registry.provider === "Kubernetes" ? neverRead.get(registry.cluster) : undefined
    const why = registry.stale?.() ?? (status && notSynced(status))
    return why === undefined ? [] : [{ registry, note: staleJson(why, registry.id, status !== undefined) }]
  })
  const byService = Map.groupBy(
    stale.flatMap(({ note, registry }) =>
      [...registry.services.values()].map(({ hostname, namespace }) => ({
        key: serviceKey(namespace, hostname),
        note
      }))
    ),
    ({ key }) => key
  )
  const byShard = new Map(
    stale.map(({ note, registry }) => [shardKey(registry.provider, registry.cluster), note])
  )
  return {
    all: stale.map(({ note }) => note),
    ofService: ({ hostname, namespace }) => {
      const notes = byService.get(serviceKey(namespace, hostname))
      return notes === undefined ? {} : { stale: [...new Set(notes.map(({ note }) => note))] }
    },
    ofShard: (shard) => {
      const note = byShard.get(shard)
      return note === undefined ? {} : { stale: note }
    }
  }
}

/** Whether nothing is known of the cluster yet. */
export const isNeverRead = ({ state }: Pick<ClusterStatus, "state">): boolean =>
  state === "syncing" || state === "timeout" || state === "failed"

const notSynced = ({ cluster, error, since }: ClusterStatus): Staleness => ({
  since,
  because: `cluster ${cluster} is not synced: ${error ?? "it is being read"}`
})

/** An answer that draws on all registries, with the stale ones beside it. */
export const withStale = (answer: Json, { all }: StaleNotes): Json =>
  all.length > 0 && isRecord(answer) ? { ...answer, stale: all } : answer
