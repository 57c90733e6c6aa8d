import { objectKey, type ObjectSource, type ObjectWriter, type WorkloadEntry } from "@istiod-lite/model"
import { Clock, Effect, FiberSet, type Scope, Semaphore } from "effect"
import { expiresAnnotation } from "./annotations.ts"
import { claimIn, timeIn } from "./connection-state.ts"
import { workloadEntryApi } from "./entry-from-group.ts"
import { MachineWork, type MakeEntry } from "./machine-work.ts"

/** What following machines reads and writes. */
export interface FollowedMachinesOptions {
  readonly source: Pick<ObjectSource["Service"], "config">
  readonly writer: ObjectWriter["Service"]
  /** of this replica */
  readonly identity: string
}

/** The machines that are connected to this replica, and those whose entries it still has to write. */
export interface FollowedMachines {
  readonly find: (key: string) => MachineWork | undefined
  /** The work on a machine's entry, begun if there is none. */
  readonly work: (namespace: string, name: string, make: MakeEntry) => MachineWork
  /** Has written what a machine's work has to write. */
  readonly start: (work: MachineWork) => void
  /** Has entries marked that say to be connected to this replica and are not: it was killed, and started again. */
  readonly releaseOrphans: Effect.Effect<void>
  /** Waits until all has been written. */
  readonly written: Effect.Effect<void>
}

/** So many entries are written at the same time. */
const atOnce = 64

/** How often what was written is looked at, if nothing else made anyone look. */
const secondLook = "30 seconds"

/** Follows machines until the scope closes: their entries are written whenever they are not as they should be. */
export const followMachines = ({
  identity,
  source,
  writer
}: FollowedMachinesOptions): Effect.Effect<FollowedMachines, never, Scope.Scope> =>
  Effect.gen(function* () {
    const clock = yield* Clock.Clock
    const fork = yield* FiberSet.makeRuntime()
    const context = { writer, identity, permits: yield* Semaphore.make(atOnce) }
    const { WorkloadEntry: entries, WorkloadGroup: groups } = source.config
    const works = new Map<string, MachineWork>()

    const start = (work: MachineWork): void => {
      const forgetIdle = Effect.sync(() => {
        const key = objectKey(work.reference)
        if (work.isIdle && works.get(key) === work) works.delete(key)
      })
      fork(Effect.andThen(work.run, forgetIdle))
    }
    const work = (namespace: string, name: string, make: MakeEntry): MachineWork => {
      const key = objectKey({ namespace, name })
      const known = works.get(key)
      if (known !== undefined) return known
      const made = new MachineWork({ ...workloadEntryApi, namespace, name }, make, context)
      works.set(key, made)
      return made
    }
    const lookAgain = (key: string, one: MachineWork, hasExpired = false): void => {
      if (one.observe(entries.get(key), hasExpired)) start(one)
    }
    const lookAtAll = Effect.sync(() => {
      for (const [key, one] of works) lookAgain(key, one)
    })

    const unsubscribe = [
      entries.subscribe((changes) => {
        for (const { key, old } of changes) {
          const one = works.get(key)
          if (one !== undefined) lookAgain(key, one, hasExpired(old, clock.currentTimeMillisUnsafe()))
        }
      }),
      // A group that appears, or changes what it demands, may let in machines that are connected already.
      groups.subscribe(() => {
        for (const [key, one] of works) if (entries.get(key) === undefined) lookAgain(key, one)
      })
    ]
    yield* Effect.addFinalizer(() => Effect.sync(() => unsubscribe.forEach((stop) => stop())))
    yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(secondLook), lookAtAll)))

    return {
      find: (key) => works.get(key),
      work,
      start,
      releaseOrphans: Effect.sync(() => {
        for (const [key, { meta }] of entries.entries()) {
          const claim = claimIn(meta.annotations)
          if (claim?.controller !== identity || (works.get(key)?.connections.length ?? 0) > 0) continue
          const orphan = work(meta.namespace, meta.name, () => "its machine is gone")
          orphan.orphan(claim.connectedAt, clock.currentTimeMillisUnsafe())
          start(orphan)
        }
      }),
      written: Effect.suspend(() =>
        Effect.forEach([...works.values()], untilWritten, { concurrency: "unbounded", discard: true })
      )
    }
  })

const hasExpired = (entry: WorkloadEntry | undefined, now: number): boolean => {
  const expires = entry && timeIn(entry.meta.annotations, expiresAnnotation)
  return expires !== undefined && expires <= now
}

const untilWritten = (work: MachineWork): Effect.Effect<void> =>
  Effect.gen(function* () {
    while (!work.isWritten) {
      yield* work.run
      // Somebody else runs it.
      if (!work.isWritten) yield* Effect.sleep("10 millis")
    }
  })
