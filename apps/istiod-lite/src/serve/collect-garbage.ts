import { Effect } from "effect"

/**
 * Collects what reading the first state has left behind, a third of the heap: V8 would do so amid the first changes.
 * Stops everything for about a millisecond for each megabyte that stays, once. Does nothing where the program may not ask
 * for it (`node --expose-gc`).
 */
export const collectGarbage: Effect.Effect<void> = Effect.promise(async () =>
  globalThis.gc?.({ type: "major", execution: "async" })
)
