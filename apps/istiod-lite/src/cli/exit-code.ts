import { Cause, Exit, Result } from "effect"
import { CliError } from "effect/cli"

/** By the failure's tag; anything else that fails is 1. */
const codes: Readonly<Record<string, number>> = {
  WrongUse: 2,
  NoServer: 3
}

/**
 * 0 fine, also when a signal ended it; 1 findings, or nothing found, or it could not go on; 2 wrong use; 3 no server
 * reachable.
 */
export const exitCodeOf = (exit: Exit.Exit<unknown, unknown>): number => {
  if (Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause)) return 0
  const failure = Cause.findError(exit.cause)
  if (Result.isFailure(failure)) return 1
  const error: unknown = failure.success
  if (CliError.isCliError(error)) return error._tag === "ShowHelp" && error.errors.length === 0 ? 0 : 2
  return isTagged(error) ? (codes[error._tag] ?? 1) : 1
}

const isTagged = (error: unknown): error is { readonly _tag: string } =>
  typeof error === "object" && error !== null && "_tag" in error && typeof error._tag === "string"
