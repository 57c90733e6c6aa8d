/**
 * `npm run bench [-- NAME…]`: measures, prints a table with the ratio to each target, writes bench-results.json.
 * A NAME is a folder of `measurements`; each of its files exports functions that return figures. `load` and `profile` have
 * options of their own; README.md here tells all.
 */
import { globSync } from "node:fs"
import { join } from "node:path"
import type { Figure } from "./figure.ts"
import { load } from "./load/load.ts"
import { profile } from "./profile/profile.ts"
import { circumstances, defaultResultsFile, keepResults } from "./results-file.ts"
import { figureTable } from "./table.ts"

type Measurement = () => ReadonlyArray<Figure> | Promise<ReadonlyArray<Figure>>

const here = import.meta.dirname
const measurements = ["audit", "cores", "memory", "micro", "start", "transport"]

const measure = async (name: string): Promise<ReadonlyArray<Figure>> => {
  const figures: Array<Figure> = []
  for (const file of globSync(`${name}/*.ts`, { cwd: here, exclude: ["**/*.test.ts"] }).toSorted()) {
    const exported = Object.values((await import(join(here, file))) as Record<string, unknown>)
    for (const run of exported) if (typeof run === "function") figures.push(...(await (run as Measurement)()))
  }
  return figures
}

const main = async (args: ReadonlyArray<string>): Promise<number> => {
  const [command, ...rest] = args
  if (command === "load") return load(rest)
  if (command === "profile") return profile(rest)
  const unknown = args.filter((name) => !measurements.includes(name))
  if (unknown.length > 0) {
    const known = [...measurements, "load [WORKLOAD…]", "profile WORKLOAD"].join(", ")
    process.stderr.write(`Cannot bench ${unknown.join(", ")}: there is ${known}\n`)
    return 2
  }
  for (const name of args.length > 0 ? args : measurements) {
    const begun = circumstances()
    const figures = await measure(name)
    process.stdout.write(`${name}\n\n${figureTable(figures)}\n\n`)
    keepResults(defaultResultsFile, name, { ...begun, figures })
  }
  return args.length > 0 ? 0 : load([])
}
process.exitCode = await main(process.argv.slice(2))
