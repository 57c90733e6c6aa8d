/**
 * `npm run explore [-- --minutes N]`: runs all files with property tests again and again, each round with a seed that was
 * never tried, until one fails or the time is over. `npm test` has the same seed always (ADR 0016).
 */
import { randomInt } from "node:crypto"
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { runCommand } from "./run-command.ts"

const usage = `Usage: npm run explore -- [--minutes N]

Runs the property tests with new seeds, for 10 minutes unless told otherwise. Ends at the first failure with exit code 1,
and says how to repeat it.`

const root = join(import.meta.dirname, "..")
const say = (line: string): void => void process.stdout.write(`${line}\n`)

const propertyTests = (): ReadonlyArray<string> =>
  globSync("{packages,apps}/*/src/**/*.test.ts", { cwd: root }).filter((file) =>
    /from "fast-check"|effect\.prop\(|it\.prop\(/.test(readFileSync(join(root, file), "utf8"))
  )

const explore = async (minutes: number): Promise<number> => {
  const files = propertyTests()
  const until = performance.now() + minutes * 60_000
  say(`${files.length} files with property tests, for ${minutes} minutes`)
  for (let round = 1; performance.now() < until; round++) {
    const seed = randomInt(2 ** 31)
    const { code, output } = await runCommand(join(root, "node_modules/.bin/vitest"), ["run", ...files], {
      ISTIOD_LITE_PROPERTY_SEED: String(seed),
      NO_COLOR: "1"
    })
    if (code !== 0) {
      say(output)
      say(`round ${round} FAILED. To repeat it: ISTIOD_LITE_PROPERTY_SEED=${seed} npm test -- FILE`)
      return 1
    }
    say(`round ${round} passed with seed ${seed}`)
  }
  return 0
}

const { values } = parseArgs({
  options: { minutes: { type: "string", default: "10" }, help: { type: "boolean", default: false } }
})
const minutes = Number(values.minutes)
if (values.help || !(minutes > 0)) {
  say(usage)
  process.exitCode = values.help ? 0 : 2
} else {
  process.exitCode = await explore(minutes)
}
