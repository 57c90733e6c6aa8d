import type { Clock } from "effect"

/**
 * Milliseconds since some time in the past, for what is measured: the time of day may be put right meanwhile, by hours
 * where a machine starts without a clock of its own.
 */
export const elapsedOf = (clock: Clock.Clock): number => Number(clock.monotonicTimeNanosUnsafe() / 1_000_000n)
