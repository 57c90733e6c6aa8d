import { Effect, type Option } from "effect"
import { Argument, Command } from "effect/cli"
import { timelineTable } from "../tables/timeline-table.ts"
import { outputFlag, untilFlag } from "./flags.ts"
import { type OutputFormat, print } from "./print.ts"

const file = Argument.String("FILE").pipe(Argument.withDescription("a recording that serve --record wrote"))

interface ReplayOptions {
  readonly file: string
  readonly until: Option.Option<string>
  readonly output: OutputFormat
}

const replay = Effect.fnUntraced(function* ({ file, output, until }: ReplayOptions) {
  const { momentOf, tellDamages } = yield* Effect.promise(() => import("../query/replay-queries.ts"))
  const { indexRecording } = yield* Effect.promise(() => import("../replay/recording-index.ts"))
  const { timelineUntil, TimelineAnswer } = yield* Effect.promise(() => import("../replay/timeline.ts"))
  const index = yield* indexRecording(file)
  const events = yield* timelineUntil(index, yield* momentOf(index, until))
  yield* print(events, output, {
    schema: TimelineAnswer,
    table: timelineTable
  })
  yield* tellDamages(index)
})

export const replayCommand = Command.make(
  "replay",
  { file, until: untilFlag, output: outputFlag },
  replay
).pipe(
  Command.withDescription(
    "Tell what happened in a recording, transaction by transaction. What a moment looked like, the query commands " +
      "tell: services, endpoints, render and others with --replay FILE --until TIME"
  ),
  Command.withExamples([
    { command: "istiod-lite replay mesh.rec", description: "The whole recording" },
    {
      command: "istiod-lite render --proxy erp-vm-large.legacy --replay mesh.rec --until 14:03",
      description: "What the VM saw at three minutes past two"
    }
  ])
)
