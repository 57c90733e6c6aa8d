/**
 * `npm run bench -- load [WORKLOAD…]`: ours beside the real istiod, or beside another build of ours, under load. They take
 * turns on one API server; each run has a server that was started for it, alone on the machine.
 */
import { parseArgs } from "node:util"
import type { KubeCluster } from "../../kube-cluster/kube-cluster.ts"
import {
  type Circumstances,
  circumstances,
  checkout,
  defaultResultsFile,
  keepResults
} from "../results-file.ts"
import type { ControlPlane } from "../servers/control-plane.ts"
import { type FixtureName, startCluster } from "../servers/fixtures.ts"
import { istiod } from "../servers/istiod.ts"
import { controlPlaneAt, launcherAt } from "../servers/ours.ts"
import { short } from "../table.ts"
import { type FigureName, figureUnits } from "./client-report.ts"
import { compareRuns, type Comparison, type ServerRun } from "./comparison.ts"
import { comparisonTable, failureLine } from "./comparison-table.ts"
import { runPhases, type Stage, stageFor } from "./run-workload.ts"
import { selectWorkloads, type Workload } from "./workloads.ts"

/** One that takes part in a workload. */
interface Contender {
  readonly name: string
  /** the variant of istiod that it is; empty for a build of ours */
  readonly variant: string
  readonly server: ControlPlane
  readonly env: Readonly<Record<string, string>>
}

const say = (line: string): void => void process.stderr.write(`bench: ${line}\n`)

const headline = ({ aims, phases }: Workload, run: ServerRun): string => {
  if (run.failures.length > 0) return `FAILED: ${run.failures.join("; ")}`
  const shown = aims.map(({ figure, phase }): readonly [string, FigureName] => [phase, figure])
  const [phase, figure] = shown[0] ?? [phases[0]?.name ?? "", "peak memory"]
  return `${figure} ${short(run.phases[phase]?.figures[figure] ?? Number.NaN)} ${figureUnits[figure]}`
}

const failuresOf = (phases: ServerRun["phases"]): ReadonlyArray<string> =>
  Object.entries(phases).flatMap(([name, { failures }]) =>
    failures.map((failure) => (name === "" ? failure : `${name}: ${failure}`))
  )

const runOnce = async (
  { env, server }: Contender,
  workload: Workload,
  stage: Stage,
  round: number
): Promise<ServerRun> => {
  try {
    await using running = await server.start({ ...stage.start, env })
    const phases = await runPhases(workload, stage, running)
    return { round, phases, failures: failuresOf(phases) }
  } catch (error) {
    return { round, phases: {}, failures: [error instanceof Error ? error.message : String(error)] }
  }
}

/** Lets contenders take turns; their runs by name. */
const takeTurns = async (
  workload: Workload,
  contenders: ReadonlyArray<Contender>,
  cluster: KubeCluster,
  rounds: number
): Promise<ReadonlyMap<string, ReadonlyArray<ServerRun>>> => {
  await using stage = await stageFor(workload, cluster)
  const runs = new Map(contenders.map(({ name }): [string, Array<ServerRun>] => [name, []]))
  for (let round = 0; round < rounds; round++)
    for (const contender of contenders) {
      const run = await runOnce(contender, workload, stage, round)
      runs.get(contender.name)?.push(run)
      say(`${workload.name}, round ${round + 1} of ${rounds}, ${contender.name}: ${headline(workload, run)}`)
    }
  return runs
}

interface WorkloadResult extends Circumstances {
  readonly about: string
  readonly rounds: number
  readonly comparisons: ReadonlyArray<Comparison>
  /** of each that took part: runs that do not count, with the reasons */
  readonly failures: Readonly<Record<string, ReadonlyArray<string>>>
}

const print = (
  { about, name }: Workload,
  ours: string,
  comparisons: ReadonlyArray<Comparison>,
  runs: ReadonlyMap<string, ReadonlyArray<ServerRun>>
): void => {
  const tables = comparisons.map((comparison) => comparisonTable(ours, comparison))
  const lines = [...runs].map(([name, all]) => failureLine(name, all)).join("\n")
  process.stdout.write(`${[`${name}: ${about}`, ...tables, lines].join("\n\n")}\n\n\n`)
}

const compareWorkload = async (
  workload: Workload,
  ours: Contender,
  others: ReadonlyArray<Contender>,
  cluster: KubeCluster,
  rounds: number
): Promise<Omit<WorkloadResult, keyof Circumstances>> => {
  const runs = await takeTurns(workload, [...others, ours], cluster, rounds)
  const runsOf = ({ name }: Contender): ReadonlyArray<ServerRun> => runs.get(name) ?? []
  const comparisons = others.map((other): Comparison => ({
    with: other.name,
    figures: compareRuns(workload, other.variant, runsOf(ours), runsOf(other))
  }))
  print(workload, ours.name, comparisons, runs)
  const failures = [...runs].map(([name, all]) => [name, all.flatMap(({ failures }) => failures)] as const)
  return { about: workload.about, rounds, comparisons, failures: Object.fromEntries(failures) }
}

const buildAt = async (name: string, path: string): Promise<Contender> => ({
  name,
  variant: "",
  server: controlPlaneAt(name, await launcherAt(path)),
  env: {}
})

const usage = `usage: npm run bench -- load [WORKLOAD…] [--rounds N] [--ours PATH] [--against PATH] [--out FILE]`

/** Runs workloads, all unless some are named; the exit code. */
export const load = async (args: ReadonlyArray<string>): Promise<number> => {
  const { positionals, values } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      rounds: { type: "string", default: "3" },
      ours: { type: "string", default: checkout },
      against: { type: "string" },
      out: { type: "string" }
    }
  })
  const rounds = Number(values.rounds)
  if (!Number.isInteger(rounds) || rounds < 1) {
    process.stderr.write(`${usage}\n`)
    return 2
  }
  const selected = selectWorkloads(positionals)
  const { against } = values
  const ours = await buildAt("ours", values.ours)
  const other = against === undefined ? undefined : await buildAt("against", against)
  const othersFor = ({ istiod: variants }: Workload): ReadonlyArray<Contender> =>
    other !== undefined
      ? [other]
      : Object.entries(variants).map(([variant, env]) => ({
          name: `istiod (${variant})`,
          variant,
          server: istiod,
          env
        }))
  // Only what ours is beside istiod belongs into the file that is kept with the code.
  const out =
    values.out ?? (against === undefined && values.ours === checkout ? defaultResultsFile : undefined)
  const begun = circumstances(values.ours)
  for (const fixture of new Set(selected.map((workload): FixtureName => workload.fixture))) {
    await using cluster = await startCluster(fixture)
    for (const workload of selected.filter((one) => one.fixture === fixture)) {
      const compared = await compareWorkload(workload, ours, othersFor(workload), cluster, rounds)
      if (out !== undefined) keepResults(out, "load", { [workload.name]: { ...begun, ...compared } })
    }
  }
  return 0
}
