import { ObjectWriter, type ObjectReference, type RawObject, type WriteError } from "@istiod-lite/model"
import { Clock, Duration, Effect, type Scope } from "effect"
import { LeaseObserver, readLease } from "./lease-record.ts"

/** Which replica this is, and where its Lease is. */
export interface ReplicaOptions {
  readonly namespace: string
  readonly name?: string
  readonly identity: string
  /** how often it says that it is alive */
  readonly presenceInterval?: Duration.Input
}

const lease = { apiVersion: "coordination.k8s.io/v1", kind: "Lease" } as const

/** So many missed signs of life, and a replica counts as dead. */
const missedSigns = 3

/**
 * Says by a Lease of its own that this replica is alive, and learns the same of the others, so that the leader can tell
 * which connections of machines went down together with a replica. The Lease goes when the scope closes.
 */
export const followReplicas = (
  options: ReplicaOptions
): Effect.Effect<() => ReadonlySet<string> | undefined, never, ObjectWriter | Scope.Scope> =>
  Effect.gen(function* () {
    const { identity, name = "istiod-lite", namespace, presenceInterval = "10 seconds" } = options
    const writer = yield* ObjectWriter
    const clock = yield* Clock.Clock
    const prefix = `${name}-replica-`
    const own: ObjectReference = { ...lease, namespace, name: `${prefix}${identity}` }
    const observers = new Map<string, LeaseObserver>()
    const time = (): number => Number(clock.monotonicTimeNanosUnsafe() / 1_000_000n)
    const startedAt = time()
    const patience = missedSigns * Duration.toMillis(Duration.fromInputUnsafe(presenceInterval))
    let hasListed = false
    let told = ""

    const sayAlive = Effect.gen(function* () {
      const renewTime = new Date(yield* Clock.currentTimeMillis).toISOString().replace("Z", "000Z")
      const spec = { holderIdentity: identity, leaseDurationSeconds: patience / 1000, renewTime }
      const patched = writer.patch(own, { spec })
      const created = writer.create({ ...lease, metadata: { name: own.name, namespace }, spec })
      yield* Effect.catchIf(
        patched,
        ({ problem }) => problem === "missing",
        () => created
      )
    })
    const look = Effect.map(writer.list(lease, namespace), (leases: ReadonlyArray<RawObject>) => {
      const seen = new Set<string>()
      for (const one of leases) {
        if (!one.metadata.name.startsWith(prefix)) continue
        const record = readLease(one)
        seen.add(record.holder)
        const observer = observers.get(record.holder) ?? new LeaseObserver()
        observers.set(record.holder, observer)
        observer.observe(record, time())
      }
      for (const holder of observers.keys()) if (!seen.has(holder)) observers.delete(holder)
      hasListed = true
    })
    const round: Effect.Effect<void> = Effect.andThen(sayAlive, look).pipe(
      Effect.tap(() => Effect.sync(() => (told = ""))),
      Effect.catch((error: WriteError) => {
        if (error.message === told) return Effect.void
        told = error.message
        return Effect.logWarning(`${error.message}. Other replicas may take this one for dead.`)
      })
    )
    yield* Effect.forkScoped(Effect.forever(Effect.andThen(round, Effect.sleep(presenceInterval))))
    yield* Effect.addFinalizer(() => writer.delete(own).pipe(Effect.timeout("2 seconds"), Effect.ignore))
    // A replica is only known to be dead when its Lease could have been seen to change for long enough.
    return () =>
      hasListed && time() > startedAt + patience
        ? new Set([
            identity,
            ...[...observers].flatMap(([holder, observer]) =>
              observer.holder(time()) === holder ? [holder] : []
            )
          ])
        : undefined
  })
