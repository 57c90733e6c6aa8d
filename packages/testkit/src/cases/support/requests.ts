import { type AdsObserver, silentObserver } from "@istiod-lite/xds-server"
import { Effect, Queue } from "effect"

/** The requests that a server takes in. */
export interface Requests {
  readonly observer: AdsObserver
  /**
   * Waits until the one request that a client has sent has been dealt with: `repeat` sends it again, and requests of
   * a stream are dealt with one after the other.
   */
  readonly dealtWith: (repeat: Effect.Effect<void>) => Effect.Effect<void>
}

export const watchRequests: Effect.Effect<Requests> = Effect.map(Queue.unbounded<void>(), (taken) => ({
  observer: { ...silentObserver, received: () => void Queue.offerUnsafe(taken, undefined) },
  dealtWith: (repeat) =>
    repeat.pipe(Effect.andThen(Queue.take(taken)), Effect.andThen(Queue.take(taken)), Effect.asVoid)
}))
