import { Cause, Console, Effect } from "effect"
import { CliError } from "effect/cli"

/** A user's mistake is one line; only defects of ours show a stack. What the parser of flags says, it has said. */
export const reportFailure = (cause: Cause.Cause<unknown>): Effect.Effect<void> => {
  if (Cause.hasInterruptsOnly(cause)) return Effect.void
  const error = Cause.squash(cause)
  if (CliError.isCliError(error)) return Effect.void
  const isFailure = cause.reasons.some(Cause.isFailReason)
  const text = isFailure && error instanceof Error ? error.message : Cause.pretty(cause)
  return Console.error(`istiod-lite: ${text}`)
}
