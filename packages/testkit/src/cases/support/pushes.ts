import { type AdsObserver, silentObserver } from "@istiod-lite/xds-server"
import { Effect, Queue } from "effect"

/** What the server does, as a test that counts sees it. */
export interface Pushes {
  readonly observer: AdsObserver
  /** the reasons of the next push that was not taken yet */
  readonly next: Effect.Effect<ReadonlyArray<string>>
  /** reasons of all pushes so far */
  readonly reasons: ReadonlyArray<ReadonlyArray<string>>
  /** type URLs of the responses so far, in the order they were sent */
  readonly sent: ReadonlyArray<string>
}

export const watchPushes: Effect.Effect<Pushes> = Effect.map(
  Queue.unbounded<ReadonlyArray<string>>(),
  (queue) => {
    const reasons: Array<ReadonlyArray<string>> = []
    const sent: Array<string> = []
    const observer: AdsObserver = {
      ...silentObserver,
      sent: (_, typeUrl) => void sent.push(typeUrl),
      pushed: (causes) => {
        const names = [...causes.keys()].toSorted()
        reasons.push(names)
        Queue.offerUnsafe(queue, names)
      }
    }
    return { observer, next: Queue.take(queue), reasons, sent }
  }
)
