import { mergePushRequests, type PushRequest } from "@istiod-lite/model"
import { Clock, Duration, Effect, Latch, type Scope } from "effect"

/** When a push starts, given that changes come. */
export type PushPacing =
  /** At once, unless responses of the push before are still being written: then when they have gone, or after `maxWait`. */
  | { readonly mode: "adaptive"; readonly maxWait: Duration.Input }
  /** When no change came for `quiet`, at the latest `max` after the first. */
  | { readonly mode: "windows"; readonly quiet: Duration.Input; readonly max: Duration.Input }

/** Ours: nothing waits while the server is idle, and under churn there is one push in 20 ms (D-2). */
export const adaptivePacing: PushPacing = { mode: "adaptive", maxWait: "20 millis" }

/** Istio's: PILOT_DEBOUNCE_AFTER and PILOT_DEBOUNCE_MAX with their defaults. */
export const istioPacing: PushPacing = { mode: "windows", quiet: "100 millis", max: "10 seconds" }

/** What the queue hands its merged requests to. */
export interface PushSink {
  readonly push: (request: PushRequest) => void
  /** Responses of an earlier push are still being written. */
  readonly writing: () => boolean
}

export interface PushQueue {
  /** Takes a request and returns at once. */
  readonly push: (request: PushRequest) => void
  /** The sink is not writing any more. */
  readonly idle: () => void
}

/**
 * Merges push requests and hands them on in the rhythm of `pacing`, until its scope closes. One request waits at
 * most, whatever comes (S-83). The sink is called from a fiber of the queue, never from inside `push`, so a caller
 * may push in the middle of a transaction.
 */
export const makePushQueue = Effect.fnUntraced(function* (
  pacing: PushPacing,
  sink: PushSink
): Effect.fn.Return<PushQueue, never, Scope.Scope> {
  const clock = yield* Clock.Clock
  const now = (): number => clock.currentTimeMillisUnsafe()
  const arrived = Latch.makeUnsafe(false)
  const idle = Latch.makeUnsafe(false)
  let waiting: PushRequest | undefined
  let firstAt = 0
  let lastAt = 0
  let begunAt = Number.NEGATIVE_INFINITY

  const pause =
    pacing.mode === "adaptive"
      ? Effect.suspend(() => {
          const rest = Duration.toMillis(pacing.maxWait) - (now() - begunAt)
          if (rest <= 0 || !sink.writing()) return Effect.void
          Latch.closeUnsafe(idle)
          return Effect.race(Latch.await(idle), Effect.sleep(rest))
        })
      : Effect.gen(function* () {
          while (true) {
            const quiet = lastAt + Duration.toMillis(pacing.quiet)
            const rest = Math.min(quiet, firstAt + Duration.toMillis(pacing.max)) - now()
            if (rest <= 0) return
            yield* Effect.sleep(rest)
          }
        })

  // A push that fails is a fault of ours; the next one must come all the same.
  const handOn = (request: PushRequest): Effect.Effect<void> =>
    Effect.sync(() => sink.push(request)).pipe(
      Effect.catchCause((cause) => Effect.logError("Cannot push, clients keep what they have", cause))
    )

  yield* Effect.gen(function* () {
    yield* Latch.await(arrived)
    yield* pause
    // Opening a latch may run this fiber at once, inside the caller of `push`: let the caller finish its turn.
    yield* Effect.yieldNow
    const request = waiting
    waiting = undefined
    Latch.closeUnsafe(arrived)
    begunAt = now()
    if (request !== undefined) yield* handOn(request)
  }).pipe(Effect.forever, Effect.forkScoped)

  return {
    push: (request) => {
      lastAt = now()
      if (waiting === undefined) firstAt = lastAt
      waiting = waiting === undefined ? request : mergePushRequests(waiting, request)
      Latch.openUnsafe(arrived)
    },
    idle: () => {
      Latch.openUnsafe(idle)
    }
  }
})
