/** The real programs that end-to-end tests and benchmarks use, pinned, fetched or built once. `node tools/programs/program.ts NAME…` */
import { ensureEnvoy } from "./envoy.ts"
import { ensureIstioCrds, goPrograms } from "./go-programs.ts"
import { ProgramError } from "./program-error.ts"

const programs = {
  envoy: ensureEnvoy,
  ...goPrograms,
  "istio-crds": ensureIstioCrds
} as const

/** Name of a program we can fetch. */
export type ProgramName = keyof typeof programs

const isProgramName = (name: string): name is ProgramName => Object.hasOwn(programs, name)

/** The path of a program, fetched when it is missing; progress goes to standard error. */
export const ensureProgram = (name: ProgramName): Promise<string> =>
  programs[name]((line) => void process.stderr.write(`programs: ${line}\n`))

const main = async (names: ReadonlyArray<string>): Promise<number> => {
  if (names.length === 0 || !names.every(isProgramName)) {
    process.stderr.write(`usage: node tools/programs/program.ts ${Object.keys(programs).join(" | ")}\n`)
    return 2
  }
  try {
    for (const name of names) process.stdout.write(`${await ensureProgram(name)}\n`)
    return 0
  } catch (error) {
    if (!(error instanceof ProgramError)) throw error
    process.stderr.write(`${error.message}\n`)
    return 1
  }
}
if (process.argv[1] === import.meta.filename) process.exitCode = await main(process.argv.slice(2))
