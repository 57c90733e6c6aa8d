import { generateHistory } from "./generate/generate-history.ts"
import { type HistoryFailure, playHistory, type SimulationHooks } from "./play-history.ts"

/** A seed whose history fails, and how. */
export interface FailedSeed extends HistoryFailure {
  readonly seed: number
}

/** Seeds one after the other. */
export interface SeedRange {
  readonly from: number
  readonly count: number
}

/** Generates and plays the histories of a range; those that fail. */
export const simulateSeeds = (
  { count, from }: SeedRange,
  hooks: () => SimulationHooks = () => ({})
): ReadonlyArray<FailedSeed> =>
  Array.from({ length: count }, (_, i) => from + i).flatMap((seed) => {
    const failure = playHistory(generateHistory(seed), hooks())
    return failure === undefined ? [] : [{ seed, ...failure }]
  })
