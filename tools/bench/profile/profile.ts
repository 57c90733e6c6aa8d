/**
 * `npm run bench -- profile WORKLOAD`: ours under a workload, with V8's profiler. Leaves a `.cpuprofile`, which browsers'
 * developer tools, editors and speedscope show as a flame graph, and prints where the time went.
 */
import { globSync, mkdirSync, readFileSync } from "node:fs"
import { resolve } from "node:path"
import { parseArgs } from "node:util"
import { checkout } from "../results-file.ts"
import { startCluster } from "../servers/fixtures.ts"
import { controlPlaneAt, launcherAt } from "../servers/ours.ts"
import { short, textTable } from "../table.ts"
import { runPhases, stageFor } from "../load/run-workload.ts"
import { selectWorkloads } from "../load/workloads.ts"
import { type CpuProfile, topBySelfTime } from "./cpu-profile.ts"

const shown = 20

const usage = "usage: npm run bench -- profile WORKLOAD [--ours PATH] [--out FOLDER]"

/** Profiles one workload; the exit code. */
export const profile = async (args: ReadonlyArray<string>): Promise<number> => {
  const { positionals, values } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      ours: { type: "string", default: checkout },
      out: { type: "string", default: "profiles" }
    }
  })
  const [workload, ...more] = positionals.length === 0 ? [] : selectWorkloads(positionals)
  if (workload === undefined || more.length > 0) {
    process.stderr.write(`${usage}\n`)
    return 2
  }
  const out = resolve(values.out)
  mkdirSync(out, { recursive: true })
  const before = new Set(globSync("*.cpuprofile", { cwd: out }))
  const server = controlPlaneAt("ours", await launcherAt(values.ours))
  await using cluster = await startCluster(workload.fixture)
  await using stage = await stageFor(workload, cluster)
  const env = { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${out}` }
  await using running = await server.start({ ...stage.start, env })
  const runs = await runPhases(workload, stage, running)
  // It writes its profile when it ends by itself.
  await running.terminate()
  for (const { failures } of Object.values(runs))
    for (const failure of failures) process.stderr.write(`bench: ${failure}\n`)
  const [file] = globSync("*.cpuprofile", { cwd: out }).filter((name) => !before.has(name))
  if (file === undefined) throw new Error(`The server left no profile in ${out}`)
  const top = topBySelfTime(JSON.parse(readFileSync(resolve(out, file), "utf8")) as CpuProfile, shown)
  const rows = top.map(({ milliseconds, share, where }) => [
    short(milliseconds),
    `${(100 * share).toFixed(1)} %`,
    where
  ])
  const table = textTable([["self, ms", "share", "function"], ...rows], [0, 1])
  process.stdout.write(`${workload.name}: ${workload.about}\n\n${table}\n\n${resolve(out, file)}\n`)
  return 0
}
