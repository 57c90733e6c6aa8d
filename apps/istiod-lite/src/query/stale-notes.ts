import { type Registry, type Service, serviceKey, shardKey, type Staleness } from "@istiod-lite/model"
import { isRecord, type Json, type JsonRecord } from "@istiod-lite/registry-aggregate"

/** How answers say that a registry is known only as it was. */
export const staleJson = ({ because, since }: Staleness, registry: string): JsonRecord => ({
  registry,
  since: new Date(since).toISOString(),
  because
})

/** What answers say beside what stale registries told; nothing where all is known as it is. */
export interface StaleNotes {
  /** the stale registries */
  readonly all: ReadonlyArray<JsonRecord>
  readonly ofService: (service: Pick<Service, "hostname" | "namespace">) => JsonRecord
  readonly ofShard: (shard: string) => JsonRecord
}

/** The notes as they are now: `stale` fields for services and endpoints. */
export const staleNotes = (registries: Iterable<Registry>): StaleNotes => {
  const stale = [...registries].flatMap((registry) => {
    const why = registry.stale?.()
    return why === undefined ? [] : [{ registry, note: staleJson(why, registry.id) }]
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

/** An answer that draws on all registries, with the stale ones beside it. */
export const withStale = (answer: Json, { all }: StaleNotes): Json =>
  all.length > 0 && isRecord(answer) ? { ...answer, stale: all } : answer
