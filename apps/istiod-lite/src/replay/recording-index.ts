import { Effect, Stream } from "effect"
import { RecordingError } from "../record/recording-file.ts"
import { recordedIn } from "./read-recording.ts"
import type { Damage } from "./transaction-assembler.ts"

/** One whole transaction of a recording. */
interface Mark {
  /** epoch milliseconds */
  readonly time: number
  /** byte at which it begins */
  readonly at: number
  readonly startsRun: boolean
}

/** What a recording holds, without its content. */
export interface RecordingIndex {
  readonly path: string
  readonly marks: readonly [Mark, ...ReadonlyArray<Mark>]
  readonly damages: ReadonlyArray<Damage>
}

/** Reads through a recording. Fails when there is no whole transaction in it. */
export const indexRecording = (path: string): Effect.Effect<RecordingIndex, RecordingError> =>
  Effect.gen(function* () {
    const marks: Array<Mark> = []
    const damages: Array<Damage> = []
    yield* Stream.runForEach(recordedIn(path), (recorded) =>
      Effect.sync(() => {
        if (recorded.found === "damage") damages.push(recorded.damage)
        else {
          const { at, transaction } = recorded
          marks.push({ time: transaction.time, at, startsRun: transaction.start !== undefined })
        }
      })
    )
    const [first, ...others] = marks
    if (first === undefined)
      return yield* new RecordingError({ message: `The recording ${path} holds no whole transaction.` })
    return { path, marks: [first, ...others], damages }
  })

/** The last transaction at a moment, and the start of its run; undefined before the first. */
export const findMoment = (
  { marks }: RecordingIndex,
  until: number
): { readonly from: number; readonly count: number; readonly time: number } | undefined => {
  // Clocks are set back now and then: the last transaction that is not later counts.
  const last = marks.findLastIndex(({ time }) => time <= until)
  const start = marks.findLastIndex(({ startsRun }, index) => startsRun && index <= last)
  const [mark, run] = [marks[last], marks[start]]
  return mark === undefined || run === undefined
    ? undefined
    : { from: run.at, count: last - start + 1, time: mark.time }
}
