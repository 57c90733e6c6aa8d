import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Cause, Console, Effect } from "effect"
import { CliError, Command } from "effect/cli"
import { exitCodeOf } from "./cli/exit-code.ts"
import { rootCommand } from "./cli/root-command.ts"
import { version } from "./version.ts"

/** A user's mistake is one line; only defects of ours show a stack. What the command line parser says, it has said. */
const report = (cause: Cause.Cause<unknown>): Effect.Effect<void> => {
  if (Cause.hasInterruptsOnly(cause)) return Effect.void
  const error = Cause.squash(cause)
  if (CliError.isCliError(error)) return Effect.void
  const isFailure = cause.reasons.some(Cause.isFailReason)
  const text = isFailure && error instanceof Error ? error.message : Cause.pretty(cause)
  return Console.error(`istiod-lite: ${text}`)
}

Command.run(rootCommand, { version }).pipe(
  Effect.tapCause(report),
  Effect.provide(NodeServices.layer),
  NodeRuntime.runMain({
    disableErrorReporting: true,
    teardown: (exit, onExit) => onExit(exitCodeOf(exit))
  })
)
