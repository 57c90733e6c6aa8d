import type { Difference } from "./differences.ts"

/** How one expected file of one moment compares. */
export interface FileResult {
  /** path below `expected/`: `services.json`, `01/web.eds.json` */
  readonly file: string
  readonly kind: string
  /** D-numbers of the patches that the file needed */
  readonly deviations: ReadonlyArray<string>
  /** what is wrong with its overlay or with making it */
  readonly faults: ReadonlyArray<string>
  readonly differences: ReadonlyArray<Difference>
}

/** How a scenario ran. */
export interface ScenarioResult {
  /** `area/name` */
  readonly name: string
  readonly files: ReadonlyArray<FileResult>
  /** why it could not be run, or could not be run to its end */
  readonly faults: ReadonlyArray<string>
  /** an API server does not take one of its objects: it cannot be run there */
  readonly refused?: string
}

/** A file whose overlay is at fault has not passed, even if it is equal. */
export const isFilePassed = ({ differences, faults }: FileResult): boolean =>
  differences.length === 0 && faults.length === 0

/** A scenario without any compared file has shown nothing, so it has not passed. */
export const isPassed = ({ faults, files, refused }: ScenarioResult): boolean =>
  refused === undefined && faults.length === 0 && files.length > 0 && files.every(isFilePassed)

/** The D-numbers that a scenario needed, each once, in numeric order. */
export const deviationsOf = ({ files }: ScenarioResult): ReadonlyArray<string> =>
  [...new Set(files.flatMap(({ deviations }) => deviations))].toSorted(
    (a, b) => Number(a.slice(2)) - Number(b.slice(2))
  )
