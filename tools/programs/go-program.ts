import { createHash } from "node:crypto"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs"
import { join } from "node:path"
import { cacheFolder } from "./cache-folder.ts"
import { go } from "./go.ts"
import { ProgramError } from "./program-error.ts"

/** A program that is built from a Go module of ours, which pins it. */
export interface GoProgram {
  readonly name: string
  /** the folder with go.mod and go.sum, and perhaps sources */
  readonly folder: string
  /** the package of the command */
  readonly target: string
  readonly linkerFlags?: string
  /** names a ready binary instead */
  readonly variable: string
  /** how long the build takes, in words */
  readonly duration: string
}

/** A folder per pin: other modules, sources or flags are built anew. */
const cachedIn = ({ folder, linkerFlags = "" }: GoProgram): string => {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => /(\.go|go\.mod|go\.sum)$/.test(name))
    .toSorted()
  const hash = files.reduce(
    (sum, name) => sum.update(name).update(readFileSync(join(folder, name))),
    createHash("sha256").update(linkerFlags)
  )
  return join(cacheFolder(), `go-${hash.digest("hex").slice(0, 12)}`)
}

/** The path of a program, built when it is not in the user's cache folder. */
export const ensureGoProgram = async (program: GoProgram, say: (line: string) => void): Promise<string> => {
  const { duration, folder, linkerFlags = "-s -w", name, target, variable } = program
  const given = process.env[variable]
  if (given !== undefined && given !== "") {
    if (existsSync(given)) return given
    throw new ProgramError(`Cannot use ${variable}: there is no file ${given}`, "")
  }
  const cached = cachedIn(program)
  const binary = join(cached, name)
  if (existsSync(binary)) return binary
  say(`building ${name} into ${cached}: ${duration} on 2 cores`)
  mkdirSync(cached, { recursive: true })
  const started = performance.now()
  const minutes = (): string => ((performance.now() - started) / 60_000).toFixed(1)
  const patience = setInterval(() => say(`still building ${name}: ${minutes()} min`), 30_000)
  const work = mkdtempSync(join(cached, ".build-"))
  try {
    const build = [
      "build",
      "-mod=readonly",
      "-trimpath",
      `-ldflags=${linkerFlags}`,
      "-o",
      join(work, name),
      target
    ]
    await go(`build ${name}`, build, folder, `or ${variable} set to a binary`)
    // A rename, so that a second run at the same time never starts half a binary.
    renameSync(join(work, name), binary)
  } finally {
    clearInterval(patience)
    rmSync(work, { recursive: true })
  }
  say(`${name} is there after ${minutes()} min`)
  return binary
}
