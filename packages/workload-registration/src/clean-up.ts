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
import { type CleanUp, cleanUpOf, disconnectedFrom, type EntryLife } from "./connection-state.ts"
import { controllerAnnotation } from "./annotations.ts"
import { workloadEntryApi } from "./entry-from-group.ts"
import { healthOf, withoutHealth } from "./health.ts"

/** What the cleaner reads and writes. */
export interface CleanUpOptions {
  readonly entries: Collection<WorkloadEntry>
  readonly writer: ObjectWriter["Service"]
  readonly leadership: Leadership["Service"]
  /** how long a machine may be away before its entry goes */
  readonly gracePeriod: Duration.Input
}

const tick = Duration.millis(500)

/**
 * Removes what machines left behind: entries of those that have been away for longer than the grace period, leases that
 * have ended, connections to replicas that are dead. For the leader alone; whatever it finds is looked at freshly before
 * it is written, so that a machine that came back keeps its entry.
 */
export const cleaningUp = (options: CleanUpOptions): Effect.Effect<void> =>
  Effect.gen(function* () {
    const { entries, gracePeriod, leadership, writer } = options
    const grace = Duration.toMillis(Duration.fromInputUnsafe(gracePeriod))
    const due = (entry: WorkloadEntry): CleanUp | undefined =>
      cleanUpOf(lifeOfEntry(entry), leadership.replicas(), grace)
    const round = Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      for (const entry of entries.values()) {
        const found = due(entry)
        if (found === undefined || found.at > now) continue
        yield* cleanUp(writer, entry, (life) => cleanUpOf(life, leadership.replicas(), grace), now).pipe(
          Effect.catch(({ message, problem }) =>
            problem === "conflict" ? Effect.void : Effect.logWarning(`${message}. It is tried again.`)
          )
        )
      }
    })
    yield* Effect.forever(Effect.andThen(round, Effect.sleep(tick)))
  })

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
): Effect.Effect<void, WriteError> =>
  Effect.gen(function* () {
    const entry = yield* writer.get({ ...workloadEntryApi, namespace, name })
    const found = entry && due(lifeOfRaw(entry))
    if (entry !== undefined && found !== undefined && found.at <= now)
      yield* cleanUpAs(writer, entry, found, now)
  })

const cleanUpAs = (
  writer: ObjectWriter["Service"],
  entry: RawObject,
  found: CleanUp,
  now: number
): Effect.Effect<void, WriteError> => {
  const { annotations, name, namespace = "", resourceVersion } = entry.metadata
  const reference = { ...workloadEntryApi, namespace, name }
  const told = `WorkloadEntry ${objectKey(reference)}`
  const precondition = resourceVersion === undefined ? {} : { resourceVersion }
  const controller = annotations?.[controllerAnnotation] ?? ""
  const write: { readonly [W in CleanUp["what"]]: () => Effect.Effect<unknown, WriteError> | undefined } = {
    delete: () => writer.delete(reference, precondition),
    expire: () => writer.delete(reference, precondition),
    "forget health": () => writer.replace(withoutHealth(entry), "status"),
    disconnect: () => {
      const next = disconnectedFrom(entry, controller, found.at, now)
      return next && writer.replace(next)
    }
  }
  const say: { readonly [W in CleanUp["what"]]: string } = {
    delete: `${told} is deleted: its machine is gone`,
    expire: `${told} is deleted: its lease has ended`,
    "forget health": `The health of ${told} is not known any more: its machine is gone`,
    disconnect: `${told} is disconnected: replica ${controller} is dead`
  }
  const written = write[found.what]()
  return written === undefined ? Effect.void : Effect.andThen(written, Effect.logInfo(say[found.what]))
}
