/**
 * `npm run bench [-- NAME…]`: measures, prints a table with the ratio to each target, writes bench-results.json.
 * A NAME is a folder here; each of its files exports functions that return figures.
 */
import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs"
import { cpus } from "node:os"
import { basename, dirname, join } from "node:path"
import type { Figure } from "./figure.ts"
import { figureTable } from "./table.ts"

type Measurement = () => ReadonlyArray<Figure> | Promise<ReadonlyArray<Figure>>
type Results = Readonly<Record<string, unknown>>

const here = import.meta.dirname
const resultsFile = join(here, "../../bench-results.json")
const names = [
  ...new Set(globSync("*/*.ts", { cwd: here }).map((file) => basename(dirname(file))))
].toSorted()

const measure = async (name: string): Promise<ReadonlyArray<Figure>> => {
  const figures: Array<Figure> = []
  for (const file of globSync(`${name}/*.ts`, { cwd: here, exclude: ["**/*.test.ts"] }).toSorted()) {
    const exported = Object.values((await import(join(here, file))) as Record<string, unknown>)
    for (const run of exported) if (typeof run === "function") figures.push(...(await (run as Measurement)()))
  }
  return figures
}

const main = async (wanted: ReadonlyArray<string>): Promise<number> => {
  const unknown = wanted.filter((name) => !names.includes(name))
  if (unknown.length > 0) {
    process.stderr.write(`Cannot bench ${unknown.join(", ")}: there is ${names.join(", ")}\n`)
    return 2
  }
  const before = existsSync(resultsFile) ? (JSON.parse(readFileSync(resultsFile, "utf8")) as Results) : {}
  let results = before
  for (const name of wanted.length > 0 ? wanted : names) {
    const figures = await measure(name)
    process.stdout.write(`${name}\n\n${figureTable(figures)}\n\n`)
    const machine = `${cpus().length} × ${cpus()[0]?.model ?? "unknown"}, node ${process.version}`
    results = { ...results, [name]: { date: new Date().toISOString(), machine, figures } }
  }
  writeFileSync(resultsFile, `${JSON.stringify(results, undefined, 2)}\n`)
  return 0
}
process.exitCode = await main(process.argv.slice(2))
