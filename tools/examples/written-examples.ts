import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"

/** Folder of the workspace. */
export const root = join(import.meta.dirname, "../..")

/** Folder names of all packages; each must have a README with an example. */
export const packageNames = (): ReadonlyArray<string> => readdirSync(join(root, "packages"))

/** The `ts` blocks of a README. */
export const exampleBlocks = (readme: string): ReadonlyArray<string> =>
  [...readme.matchAll(/^```ts\n(.*?)^```$/gms)].map((match) => match[1] ?? "")

/** Examples as files; disposing removes them. */
export interface WrittenExamples extends Disposable {
  readonly files: ReadonlyArray<string>
}

/** Writes the examples of a package's README to files, below the package so that its dependencies are found. */
export const writtenExamples = (name: string): WrittenExamples => {
  const readme = join(root, "packages", name, "README.md")
  const blocks = existsSync(readme) ? exampleBlocks(readFileSync(readme, "utf8")) : []
  const parent = join(root, "packages", name, ".readme")
  mkdirSync(parent, { recursive: true })
  // A folder per run, for concurrent runs.
  const folder = mkdtempSync(join(parent, "run-"))
  const files = blocks.map((block, index) => {
    const file = join(folder, `example-${index + 1}.ts`)
    writeFileSync(file, block)
    return file
  })
  return { files, [Symbol.dispose]: () => rmSync(folder, { recursive: true }) }
}
