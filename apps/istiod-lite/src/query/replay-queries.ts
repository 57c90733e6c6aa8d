import { Console, Effect, Layer, Option } from "effect"
import { momentText, parseMoment } from "../replay/moment.ts"
import { indexRecording, type RecordingIndex } from "../replay/recording-index.ts"
import { damageText, recordingText } from "../replay/recording-text.ts"
import { replayUntil } from "../replay/replay.ts"
import { layerLocalQueries } from "./local-queries.ts"
import type { Queries } from "./queries.ts"
import { NothingFound, WrongUse } from "./query-error.ts"

/**
 * Answers about a moment of a recording, its last one unless another is named. Says on standard error which moment that
 * is, and what of the recording is left out. Nobody is connected: recordings hold no clients.
 */
export const layerReplayQueries = (path: string, until: Option.Option<string>): Layer.Layer<Queries, Error> =>
  Layer.unwrap(
    Effect.gen(function* () {
      const index = yield* indexRecording(path)
      const replayed = yield* replayUntil(index, yield* momentOf(index, until))
      if (replayed === undefined) {
        const message = `Nothing is recorded yet at that time. ${recordingText(index)}.`
        return yield* new NothingFound({ message })
      }
      yield* Console.error(`${recordingText(index)}; shown as of ${momentText(replayed.time)}`)
      yield* tellDamages(index)
      return layerLocalQueries(() => []).pipe(Layer.provide(Layer.succeedContext(replayed.plane.context)))
    })
  )

/** Says on standard error what of a recording is left out. */
export const tellDamages = ({ damages, path }: RecordingIndex): Effect.Effect<void> =>
  Effect.forEach(damages, (damage) => Console.error(`${path}: ${damageText(damage)}`), { discard: true })

/** The moment that is meant; a time of the day is one of the recording's last day. */
export const momentOf = (
  { marks }: RecordingIndex,
  until: Option.Option<string>
): Effect.Effect<number, WrongUse> => {
  if (Option.isNone(until)) return Effect.succeed(Number.POSITIVE_INFINITY)
  const moment = parseMoment(until.value, (marks.at(-1) ?? marks[0]).time)
  const message = `--until: expected a time, such as 14:03, 14:03:20.5 or 2026-11-30T14:03:00Z: received ${until.value}`
  return moment === undefined ? Effect.fail(new WrongUse({ message })) : Effect.succeed(moment)
}
