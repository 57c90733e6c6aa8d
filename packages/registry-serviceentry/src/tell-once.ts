import { Effect } from "effect"

/** Logs a warning when it is not what was said last; undefined: there is nothing to warn of any more. */
export const tellOnce = (): ((message: string | undefined) => Effect.Effect<void>) => {
  let last: string | undefined
  return (message) =>
    Effect.suspend(() => {
      if (message === last) return Effect.void
      last = message
      return message === undefined ? Effect.void : Effect.logWarning(message)
    })
}
