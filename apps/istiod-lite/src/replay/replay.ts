import { Effect, type Scope, Stream } from "effect"
import { composeFromInputs, type DetachedControlPlane } from "../compose/compose-from-inputs.ts"
import type { RecordingError } from "../record/recording-file.ts"
import { findMoment, type RecordingIndex } from "./recording-index.ts"
import { recordedIn } from "./read-recording.ts"

/** A control plane as it was at a moment. */
export interface Replayed {
  readonly plane: DetachedControlPlane
  /** of the last transaction that it has seen, in epoch milliseconds */
  readonly time: number
  /** transactions since its start */
  readonly transactions: number
}

/**
 * Rebuilds the state that a recorded control plane had at a moment, undefined before its first: the transactions of its
 * run, one after the other, so that what it remembered is remembered here (S-45).
 */
export const replayUntil = (
  index: RecordingIndex,
  until: number
): Effect.Effect<Replayed | undefined, RecordingError | Error, Scope.Scope> =>
  Effect.gen(function* () {
    const moment = findMoment(index, until)
    if (moment === undefined) return undefined
    let plane: DetachedControlPlane | undefined
    yield* recordedIn(index.path, moment.from).pipe(
      Stream.filter((recorded) => recorded.found === "transaction"),
      Stream.take(moment.count),
      Stream.runForEach(({ transaction: { changes, start } }) =>
        Effect.gen(function* () {
          plane ??= start && (yield* composeFromInputs(start))
          plane?.inputs.apply(changes)
        })
      )
    )
    return plane === undefined ? undefined : { plane, time: moment.time, transactions: moment.count }
  })
