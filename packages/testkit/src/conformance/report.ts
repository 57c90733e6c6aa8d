import type { Difference } from "./differences.ts"
import { canonicalText, type Json } from "./json.ts"
import { deviationsOf, type FileResult, isFilePassed, isPassed, type ScenarioResult } from "./results.ts"

/** Differences of a scenario that a report without `--verbose` shows. */
const firstDifferences = 5

/** Characters of a value that it shows. */
const shownLength = 240

/** `passed area/name`, `passed (D-9) area/name`, `refused area/name: why` (not run, neither passed nor failed), or `FAILED area/name` with the first differences below it. */
export const scenarioLines = (result: ScenarioResult, verbose: boolean): ReadonlyArray<string> => {
  if (isPassed(result)) {
    const deviations = deviationsOf(result)
    return [`passed${deviations.length === 0 ? "" : ` (${deviations.join(" ")})`} ${result.name}`]
  }
  if (result.refused !== undefined) return [`refused ${result.name}: ${result.refused}`]
  const details = [
    ...result.faults,
    ...(result.files.length === 0 ? ["no file of the selected kinds was compared"] : []),
    ...result.files.filter((file) => !isFilePassed(file)).flatMap((file) => fileDetails(file, verbose))
  ]
  const shown = verbose ? details : details.slice(0, firstDifferences)
  const left = details.length - shown.length
  return [
    `FAILED ${result.name}`,
    ...shown.flatMap((detail) => detail.split("\n").map((line) => `  ${line}`)),
    ...(left > 0 ? [`  … and ${left} more (--verbose shows all)`] : [])
  ]
}

const fileDetails = (file: FileResult, verbose: boolean): ReadonlyArray<string> => [
  ...file.faults.map((fault) => `${file.file}: ${fault}`),
  ...file.differences.map((difference) => differenceText(file.file, difference, verbose))
]

const differenceText = (file: string, { actual, expected, path }: Difference, verbose: boolean): string =>
  `${file} ${path}\n  expected ${valueText(expected, verbose)}\n  got      ${valueText(actual, verbose)}`

const valueText = (value: Json | undefined, verbose: boolean): string => {
  if (value === undefined) return "nothing"
  const text = canonicalText(value)
  return verbose || text.length <= shownLength ? text : `${text.slice(0, shownLength)}…`
}

/** A table of compared files by kind, without those of refused scenarios, then the count of scenarios as the last line. */
export const summaryLines = (results: ReadonlyArray<ScenarioResult>): ReadonlyArray<string> => {
  const byKind = Map.groupBy(
    results.filter(({ refused }) => refused === undefined).flatMap(({ files }) => files),
    ({ kind }) => kind
  )
  const rows = [...byKind].map(([kind, files]) => {
    const passed = files.filter(isFilePassed).length
    return `${kind.padEnd(10)} ${String(passed).padStart(6)} ${String(files.length - passed).padStart(6)}`
  })
  const passed = results.filter(isPassed).length
  const refused = results.filter((result) => result.refused !== undefined)
  return [
    `${"kind".padEnd(10)} ${"passed".padStart(6)} ${"failed".padStart(6)}  (files)`,
    ...rows,
    ...(refused.length === 0
      ? []
      : [`${refused.length} not run: the API server refuses an object of theirs`]),
    `${passed} passed, ${results.length - passed - refused.length} failed`
  ]
}
