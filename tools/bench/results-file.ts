import { spawnSync } from "node:child_process"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { cpus } from "node:os"
import { join } from "node:path"

/** What holds for all that is measured in one go. */
export interface Circumstances {
  readonly date: string
  readonly machine: string
  /** of what was measured; ends in `-dirty` when files differed from it */
  readonly commit: string
}

/** The repository that this is in. */
export const checkout = join(import.meta.dirname, "../..")

const resultsName = "bench-results.json"

/** Where results go unless told otherwise. */
export const defaultResultsFile = join(checkout, resultsName)

const git = (folder: string, ...args: ReadonlyArray<string>): string | undefined => {
  const { status, stdout } = spawnSync("git", ["-C", folder, ...args], { encoding: "utf8" })
  return status === 0 ? stdout.trim() : undefined
}

/** The commit of a checkout, with `-dirty` when a file other than the results differs from it or is in no commit. */
export const commitOf = (folder: string): string => {
  const commit = git(folder, "rev-parse", "HEAD")
  if (commit === undefined) return "unknown"
  const changes = git(folder, "status", "--porcelain", "--", ":/", `:(top,exclude)${resultsName}`)
  return changes === "" ? commit : `${commit}-dirty`
}

/** The circumstances of a measurement that begins now. */
export const circumstances = (folder = checkout): Circumstances => ({
  date: new Date().toISOString(),
  machine: `${cpus().length} × ${cpus()[0]?.model ?? "unknown"}, node ${process.version}`,
  commit: commitOf(folder)
})

/** Writes what was measured over what the file says of the same; everything else in it stays. */
export const keepResults = (
  file: string,
  section: string,
  results: Readonly<Record<string, unknown>>
): void => {
  const before = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Record<string, object>) : {}
  const after = { ...before, [section]: { ...before[section], ...results } }
  writeFileSync(file, `${JSON.stringify(after, undefined, 2)}\n`)
}
