import type { Effect } from "effect"

/** Runs an effect aside, for as long as its scope lives. */
export type Fork = <A>(effect: Effect.Effect<A>) => unknown
