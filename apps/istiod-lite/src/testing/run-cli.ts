import * as NodeServices from "@effect/platform-node/NodeServices"
import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { join } from "node:path"
import { exitCodeOf } from "../cli/exit-code.ts"
import { reportFailure } from "../cli/report-failure.ts"
import { rootCommand } from "../cli/root-command.ts"

export interface CliRun {
  readonly code: number
  /** standard output and standard error */
  readonly out: string
  readonly err: string
}

/** Runs a command line in this process. */
export const runCli = (...args: ReadonlyArray<string>): Effect.Effect<CliRun> =>
  Effect.gen(function* () {
    const out: Array<string> = []
    const err: Array<string> = []
    const capture: Console.Console = {
      ...console,
      log: (...parts) => void out.push(parts.join(" ")),
      error: (...parts) => void err.push(parts.join(" "))
    }
    const exit = yield* Command.runWith(rootCommand, { version: "0.0.0" })(args).pipe(
      Effect.tapCause(reportFailure),
      Effect.provide(NodeServices.layer),
      Effect.provideService(Console.Console, capture),
      Effect.exit
    )
    return { code: exitCodeOf(exit), out: out.join("\n"), err: err.join("\n") }
  })

const root = join(import.meta.dirname, "../../../..")

/** The example mesh. */
export const shop = join(root, "examples/shop")
export const examples = join(root, "examples")
