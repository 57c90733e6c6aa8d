import type { Collection } from "@istiod-lite/collections"
import {
  type Leadership,
  objectKey,
  type ObjectWriter,
  type RawObject,
  type WorkloadEntry,
  type WriteError
} from "@istiod-lite/model"
import { Clock, Duration, Effect } from "effect"
import { type CleanUp, cleanUpOf, type EntryLife } from "./clean-up-rule.ts"
import { released } from "./connection-state.ts"
import { workloadEntryApi } from "./entry-from-group.ts"
import { healthOf, withoutHealth } from "./health.ts"
import { withAnnotations } from "./raw-entry.ts"

/** What the cleaner reads and writes. */
export interface CleanUpOptions {
  readonly entries: Collection<WorkloadEntry>
  readonly writer: ObjectWriter["Service"]
  readonly leadership: Leadership["Service"]
  /** how long a machine may be away before its entry goes */
  readonly gracePeriod: Duration.Input
}

/** Milliseconds between looks at all entries. */
const tick = 500

/**
 * Removes what machines left behind: entries of those that have been away for longer than the grace period, leases that
 * have ended, connections to replicas that are dead. For the leader alone; whatever it finds is looked at freshly before
 * it is written, so that a machine that came back keeps its entry. What cannot be done is tried again at the next look.
 */
export const cleaningUp = ({
  entries,
  gracePeriod,
  leadership,
  writer
}: CleanUpOptions): Effect.Effect<never> => {
  const grace = Duration.toMillis(Duration.fromInputUnsafe(gracePeriod))
  const round = Effect.gen(function* () {
    const terms = { replicas: leadership.replicas(), gracePeriod: grace }
    const due = (life: EntryLife): CleanUp | undefined => cleanUpOf(life, terms)
    let next = Number.POSITIVE_INFINITY
    for (const entry of entries.values()) {
      const found = due(lifeOfEntry(entry))
      if (found === undefined) continue
      const now = yield* Clock.currentTimeMillis
      if (found.at > now) next = Math.min(next, found.at)
      else yield* cleanUp(writer, entry, due, now)
    }
    const now = yield* Clock.currentTimeMillis
    // A lease that ends before the next look ends in time.
    yield* Effect.sleep(Duration.millis(Math.max(1, Math.min(tick, next - now))))
  })
  return Effect.forever(round)
}

const lifeOfEntry = ({ healthy, meta: { annotations } }: WorkloadEntry): EntryLife => ({
  annotations,
  hasHealth: healthy !== undefined
})

const lifeOfRaw = (entry: RawObject): EntryLife => ({
  annotations: entry.metadata.annotations ?? {},
  hasHealth: healthOf(entry) !== undefined
})

const cleanUp = (
  writer: ObjectWriter["Service"],
  { meta: { name, namespace } }: WorkloadEntry,
  due: (life: EntryLife) => CleanUp | undefined,
  now: number
): Effect.Effect<void> =>
  Effect.gen(function* () {
    const entry = yield* writer.get({ ...workloadEntryApi, namespace, name })
    const found = entry && due(lifeOfRaw(entry))
    if (entry !== undefined && found !== undefined && found.at <= now) yield* write(writer, entry, found, now)
  }).pipe(
    Effect.catch(({ message, problem }) =>
      problem === "conflict" || problem === "missing"
        ? Effect.void
        : Effect.logWarning(`${message}. It is tried again.`)
    )
  )

const write = (
  writer: ObjectWriter["Service"],
  entry: RawObject,
  found: CleanUp,
  now: number
): Effect.Effect<void, WriteError> => {
  const { annotations = {}, name, namespace = "", resourceVersion } = entry.metadata
  const reference = { ...workloadEntryApi, namespace, name }
  const told = `WorkloadEntry ${objectKey(reference)}`
  const remove = (because: string): Effect.Effect<void, WriteError> =>
    Effect.andThen(
      writer.delete(reference, resourceVersion === undefined ? {} : { resourceVersion }),
      Effect.logInfo(`${told} is deleted: ${because}`)
    )
  if (found.what === "release") {
    const next = released(annotations, found.claim, now)
    if (next === undefined) return Effect.void
    return Effect.andThen(
      writer.replace(withAnnotations(entry, next)),
      Effect.logInfo(`${told} is disconnected: replica ${found.claim.controller} is dead`)
    )
  }
  if (found.what === "delete") return remove("its machine is gone")
  if (found.what === "expire") return remove("its lease has ended")
  return Effect.andThen(
    writer.replace(withoutHealth(entry), "status"),
    Effect.logInfo(`The health of ${told} is not known any more: its machine is gone`)
  )
}
