import type { Ratio, Spread } from "../statistics.ts"
import { short, textTable } from "../table.ts"
import type { ComparedFigure, Comparison, ServerRun } from "./comparison.ts"

/** The middle, and the ends where they differ. */
const between = (middle: number, { max, min }: { readonly min: number; readonly max: number }): string =>
  min === max ? short(middle) : `${short(middle)} (${short(min)}–${short(max)})`

const spread = (value: Spread | undefined): string =>
  value === undefined ? "–" : between(value.median, value)

const ratio = (value: Ratio | undefined): string =>
  value === undefined ? "–" : between(value.ofMedians, value)

const verdict = (met: boolean | undefined): string => (met === undefined ? "" : met ? "met" : "MISSED")

const row = ({ figure, met, ours, ratio: compared, target, theirs, unit }: ComparedFigure) => [
  figure,
  unit,
  spread(theirs),
  spread(ours),
  ratio(compared),
  target === undefined ? "" : `≤ ${target}`,
  verdict(met)
]

/** Medians and their ratio, each with the smallest and the largest of the rounds. */
export const comparisonTable = (ours: string, comparison: Comparison): string =>
  textTable([
    ["figure", "unit", comparison.with, ours, "ratio", "target", ""],
    ...comparison.figures.map(row)
  ])

/** One line that says how many runs of a server count, and why not the others. */
export const failureLine = (name: string, runs: ReadonlyArray<ServerRun>): string => {
  const failed = runs.filter(({ failures }) => failures.length > 0)
  if (failed.length === 0) return `${name}: all ${runs.length} runs served everything`
  const reasons = failed.map(({ failures, round }) => `round ${round + 1}: ${failures.join("; ")}`)
  return `${name}: ${failed.length} of ${runs.length} runs FAILED and do not count: ${reasons.join(". ")}`
}
