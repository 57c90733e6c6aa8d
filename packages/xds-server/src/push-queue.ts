import { mergePushRequests, type PushRequest } from "@istiod-lite/model"
import { Clock, Duration, Effect, Latch, type Scope } from "effect"
import { elapsedOf } from "./elapsed.ts"
import { type GoesAhead, splitRequest } from "./split-request.ts"
import { SubjectWindows } from "./subject-windows.ts"

/** When a push starts, given that changes come. */
export type PushPacing =
  /** At once, unless responses of the push before are still being written: then when they have gone, or after `maxWait`. */
  | { readonly mode: "adaptive"; readonly maxWait: Duration.Input }
  /**
   * When no change of a service came for `quiet`, at the latest `max` after its first: each service, each proxy, and
   * what concerns everybody in a window of its own (D-2). `endpointsAtOnce`: what changes endpoints alone does not wait.
   */
  | {
      readonly mode: "windows"
      readonly quiet: Duration.Input
      readonly max: Duration.Input
      readonly endpointsAtOnce?: boolean | undefined
    }

/** Ours: nothing waits while the server is idle, and under churn there is one push in 20 ms (D-2). */
export const adaptivePacing: PushPacing = { mode: "adaptive", maxWait: "20 millis" }

/** Istio's: PILOT_DEBOUNCE_AFTER and PILOT_DEBOUNCE_MAX with their defaults. */
export const istioPacing: Extract<PushPacing, { readonly mode: "windows" }> = {
  mode: "windows",
  quiet: "100 millis",
  max: "10 seconds"
}

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

/** Requests that wait for their time. Times are in milliseconds, as `elapsedOf` gives them. */
interface Waiting {
  readonly isEmpty: () => boolean
  readonly add: (request: PushRequest, at: number) => void
  /** When the next push may begin, as things are; not asked while nothing waits. */
  readonly dueAt: () => number
  /** Takes what is due, if anything is. */
  readonly take: (at: number) => PushRequest | undefined
}

/**
 * Merges push requests and hands them on in the rhythm of `pacing`, until its scope closes. What waits is merged:
 * one request at most, in windows one per service (S-83). Removals wait for nobody: they go ahead, they alone (D-2).
 * The sink is called from a fiber of the queue, never from inside `push`, so a caller may push in the middle of a
 * transaction.
 */
export const makePushQueue = Effect.fnUntraced(function* (
  pacing: PushPacing,
  sink: PushSink
): Effect.fn.Return<PushQueue, never, Scope.Scope> {
  const clock = yield* Clock.Clock
  const now = (): number => elapsedOf(clock)
  /** There is something to look at: the queue's fiber sleeps no longer. */
  const stirred = Latch.makeUnsafe(false)
  const waiting = pacing.mode === "adaptive" ? waitAdaptively(pacing, sink) : waitInWindows(pacing)
  const goesAhead: GoesAhead = pacing.mode === "windows" && pacing.endpointsAtOnce ? "endpoints" : "removals"
  let ahead: PushRequest | undefined

  // A push that fails is a fault of ours; the next one must come all the same.
  const handOn = (request: PushRequest): Effect.Effect<void> =>
    Effect.sync(() => sink.push(request)).pipe(
      Effect.catchCause((cause) => Effect.logError("Cannot push, clients keep what they have", cause))
    )

  const takeDue = (): PushRequest | undefined => {
    const first = ahead
    ahead = undefined
    return merged(first, waiting.take(now()))
  }

  yield* Effect.gen(function* () {
    yield* Latch.await(stirred)
    // Opening a latch may run this fiber at once, inside the caller of `push`: let the caller finish its turn.
    yield* Effect.yieldNow
    Latch.closeUnsafe(stirred)
    const request = takeDue()
    if (request !== undefined) yield* handOn(request)
    if (waiting.isEmpty()) return
    yield* Effect.race(Latch.await(stirred), Effect.sleep(Math.max(0, waiting.dueAt() - now())))
    Latch.openUnsafe(stirred)
  }).pipe(Effect.forever, Effect.forkScoped)

  return {
    push: (request) => {
      const parts = splitRequest(request, goesAhead)
      // What comes while something waits is not due before that is.
      const stirs = parts.ahead !== undefined || waiting.isEmpty()
      if (parts.ahead !== undefined) ahead = merged(ahead, parts.ahead)
      if (parts.rest !== undefined) waiting.add(parts.rest, now())
      if (stirs) Latch.openUnsafe(stirred)
    },
    idle: () => {
      if (!waiting.isEmpty()) Latch.openUnsafe(stirred)
    }
  }
})

const merged = (a: PushRequest | undefined, b: PushRequest | undefined): PushRequest | undefined =>
  a === undefined || b === undefined ? (a ?? b) : mergePushRequests(a, b)

const waitAdaptively = (
  { maxWait }: Extract<PushPacing, { readonly mode: "adaptive" }>,
  sink: PushSink
): Waiting => {
  const wait = Duration.toMillis(maxWait)
  let request: PushRequest | undefined
  let begunAt = Number.NEGATIVE_INFINITY
  const dueAt = (): number => (sink.writing() ? begunAt + wait : Number.NEGATIVE_INFINITY)
  return {
    isEmpty: () => request === undefined,
    add: (more) => {
      request = merged(request, more)
    },
    dueAt,
    take: (at) => {
      if (request === undefined || dueAt() > at) return undefined
      const taken = request
      request = undefined
      begunAt = at
      return taken
    }
  }
}

const waitInWindows = ({ max, quiet }: Extract<PushPacing, { readonly mode: "windows" }>): Waiting => {
  const windows = new SubjectWindows({ quiet: Duration.toMillis(quiet), max: Duration.toMillis(max) })
  return {
    isEmpty: () => windows.isEmpty,
    add: (request, at) => windows.add(request, at),
    dueAt: () => windows.endsAt() ?? Number.POSITIVE_INFINITY,
    take: (at) => windows.take(at)
  }
}
