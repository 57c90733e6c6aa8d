import {
  Leadership,
  ObjectWriter,
  type ObjectReference,
  type RawObject,
  WriteError
} from "@istiod-lite/model"
import { Clock, Duration, Effect, Fiber, Layer, Random, type Scope, SubscriptionRef, Stream } from "effect"
import { LeaseObserver, readLease } from "./lease-record.ts"
import { followReplicas } from "./replicas.ts"

/** Which Lease decides, and in what times. The defaults are those of Kubernetes' own controllers. */
export interface LeadershipOptions {
  readonly namespace: string
  readonly name?: string
  /** of this replica; unique, such as its pod's name */
  readonly identity: string
  /** how long others wait after the last renewal that they have seen */
  readonly leaseDuration?: Duration.Input
  /** who cannot renew for so long stops leading; less than `leaseDuration` */
  readonly renewDeadline?: Duration.Input
  /** between attempts */
  readonly retryPeriod?: Duration.Input
}

/**
 * Leadership by a Lease (coordination.k8s.io/v1) in the way of Kubernetes' controllers: the holder renews it, others take
 * it when they have not seen it change for its duration, and it is given up when the scope closes, so that the next one
 * leads at once.
 *
 * The holder stops at its deadline, before anyone else may begin, whether it can reach the API server or not.
 */
export const makeLeadership = (
  options: LeadershipOptions
): Effect.Effect<Leadership["Service"], never, ObjectWriter | Scope.Scope> =>
  Effect.gen(function* () {
    const clock = yield* Clock.Clock
    const time = (): number => millisOf(clock.monotonicTimeNanosUnsafe())
    const election = new Election(options, yield* ObjectWriter)
    const leads = yield* SubscriptionRef.make(false)
    const running = yield* Effect.forkScoped(election.run(leads))
    const replicas = yield* followReplicas(options)
    // An election that went on would get at once what is given up.
    yield* Effect.addFinalizer(() =>
      Fiber.interrupt(running).pipe(
        Effect.andThen(SubscriptionRef.set(leads, false)),
        Effect.andThen(Effect.suspend(() => election.release))
      )
    )
    return Leadership.of({
      identity: options.identity,
      isLeader: () => election.leads && election.holds(time()),
      leader: () => election.leader,
      replicas,
      whileLeading: (work) =>
        SubscriptionRef.changes(leads).pipe(
          Stream.changes,
          Stream.switchMap((isLeader) =>
            isLeader ? Stream.fromEffect(Effect.andThen(work, Effect.never)) : Stream.never
          ),
          Stream.runDrain,
          Effect.andThen(Effect.never)
        )
    })
  })

/** The same as a layer. */
export const layerLeadership = (options: LeadershipOptions): Layer.Layer<Leadership, never, ObjectWriter> =>
  Layer.effect(Leadership, makeLeadership(options))

class Election {
  leads = false
  leader: string | undefined
  readonly #options: Required<LeadershipOptions>
  readonly #writer: ObjectWriter["Service"]
  readonly #reference: ObjectReference
  readonly #observer = new LeaseObserver()
  /** when the last renewal that succeeded was begun, in milliseconds of a clock that only goes forward */
  #renewedAt = Number.NEGATIVE_INFINITY
  /** the lease as that renewal left it */
  #own: RawObject | undefined

  constructor(options: LeadershipOptions, writer: ObjectWriter["Service"]) {
    this.#options = {
      name: "istiod-lite",
      leaseDuration: "15 seconds",
      renewDeadline: "10 seconds",
      retryPeriod: "2 seconds",
      ...options
    }
    this.#writer = writer
    this.#reference = {
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      namespace: this.#options.namespace,
      name: this.#options.name
    }
  }

  /** Tries for ever to get the lease and to keep it. */
  run(leads: SubscriptionRef.SubscriptionRef<boolean>): Effect.Effect<never> {
    const { retryPeriod } = this.#options
    let failure = ""
    const attempt = this.#attempt.pipe(
      Effect.timeoutOrElse({
        // An answer that comes later than this does not count.
        duration: this.#options.renewDeadline,
        orElse: () =>
          Effect.fail(
            new WriteError({
              operation: "renew the lease",
              problem: "unavailable",
              detail: "no answer in time"
            })
          )
      }),
      Effect.tap(() => Effect.sync(() => (failure = ""))),
      Effect.catch((error) => {
        // Told once: it is tried again every few seconds.
        if (error.problem === "conflict" || error.problem === "exists" || error.message === failure)
          return Effect.void
        failure = error.message
        return Effect.logWarning(
          `${error.message}. Without the lease, nothing that only one replica may do is done.`
        )
      })
    )
    const settle = Effect.flatMap(now, (time) => {
      const holds = this.holds(time)
      if (holds === this.leads) return Effect.void
      this.leads = holds
      const { identity, name } = this.#options
      return Effect.andThen(
        SubscriptionRef.set(leads, holds),
        Effect.logInfo(
          holds ? `${identity} leads (lease ${name})` : `${identity} does not lead any more (lease ${name})`
        )
      )
    })
    // The deadline holds while an attempt is under way, too.
    const watchDeadline = Effect.forever(
      Effect.andThen(
        settle,
        Effect.flatMap(now, (time) => Effect.sleep(this.#untilDeadline(time)))
      )
    )
    const tries = Effect.forever(
      attempt.pipe(
        Effect.andThen(settle),
        Effect.andThen(Random.next),
        Effect.flatMap((random) =>
          Effect.sleep(Duration.times(Duration.fromInputUnsafe(retryPeriod), 0.8 + 0.4 * random))
        )
      )
    )
    return Effect.raceFirst(tries, watchDeadline)
  }

  /** Gives the lease up, if it is held: also one that was just written and not answered yet. */
  get release(): Effect.Effect<void> {
    this.leads = false
    return this.#writer.get(this.#reference).pipe(
      Effect.flatMap((lease) =>
        lease === undefined || readLease(lease).holder !== this.#options.identity
          ? Effect.void
          : this.#writer.replace({
              ...lease,
              spec: { ...lease.spec, holderIdentity: "", leaseDurationSeconds: 1 }
            })
      ),
      // A renewal that was under way may have come between.
      Effect.retry({ times: 2, while: ({ problem }) => problem === "conflict" }),
      Effect.timeout("2 seconds"),
      Effect.ignore
    )
  }

  /** Whether it may lead at this time, in milliseconds of a clock that only goes forward. */
  holds(time: number): boolean {
    return this.leader === this.#options.identity && time < this.#renewedAt + this.#renewDeadline
  }

  /** Milliseconds to the present deadline, which renewals only put off; without one, to the next look for one. */
  #untilDeadline(time: number): number {
    const left = this.#renewedAt + this.#renewDeadline - time
    return left > 0 ? left : 500
  }

  get #renewDeadline(): number {
    return Duration.toMillis(Duration.fromInputUnsafe(this.#options.renewDeadline))
  }

  get #attempt(): Effect.Effect<void, WriteError> {
    return Effect.gen({ self: this }, function* () {
      const begun = yield* now
      const own = this.holds(begun) ? this.#own : undefined
      // Nobody else writes a lease that is held: it need not be read before it is renewed.
      if (own !== undefined && (yield* this.#renewUnread(own, begun))) return
      const lease = yield* this.#writer.get(this.#reference)
      if (lease === undefined) {
        this.#renewed(yield* this.#writer.create(yield* this.#claim(undefined)), begun)
        return
      }
      const record = readLease(lease)
      this.#observer.observe(record, yield* now)
      const holder = this.#observer.holder(yield* now)
      this.leader = holder
      if (holder === undefined || holder === this.#options.identity)
        this.#renewed(yield* this.#writer.replace(yield* this.#claim(lease)), begun)
    })
  }

  /** Renews the lease as it was written last; false if it is not that one any more. */
  #renewUnread(own: RawObject, begun: number): Effect.Effect<boolean, WriteError> {
    return this.#claim(own).pipe(
      Effect.flatMap((claim) => this.#writer.replace(claim)),
      Effect.map((lease) => {
        this.#renewed(lease, begun)
        return true
      }),
      Effect.catchIf(
        ({ problem }) => problem === "conflict" || problem === "missing",
        () => Effect.succeed(false)
      )
    )
  }

  #renewed(lease: RawObject, begun: number): void {
    this.#own = lease
    this.leader = this.#options.identity
    this.#renewedAt = begun
  }

  #claim(lease: RawObject | undefined): Effect.Effect<RawObject> {
    const { identity, leaseDuration, name, namespace } = this.#options
    return Effect.map(Clock.currentTimeMillis, (millis) => {
      const { holder, transitions } = lease === undefined ? { holder: "", transitions: 0 } : readLease(lease)
      const time = new Date(millis).toISOString().replace("Z", "000Z")
      const isMine = holder === identity
      return {
        apiVersion: "coordination.k8s.io/v1",
        kind: "Lease",
        metadata: lease?.metadata ?? { name, namespace },
        spec: {
          ...lease?.spec,
          holderIdentity: identity,
          leaseDurationSeconds: Duration.toSeconds(Duration.fromInputUnsafe(leaseDuration)),
          acquireTime: isMine ? lease?.spec?.acquireTime : time,
          renewTime: time,
          leaseTransitions: isMine || lease === undefined ? transitions : transitions + 1
        }
      }
    })
  }
}

const millisOf = (nanos: bigint): number => Number(nanos / 1_000_000n)

const now = Effect.map(Clock.monotonicTimeNanos, millisOf)
