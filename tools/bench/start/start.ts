/**
 * Start to ready, and memory, beside the real istiod: on one API server, taking turns, three times each. Ours runs as the
 * bundle of `npm run build`, as images do.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { KubeCluster } from "../../kube-cluster/kube-cluster.ts"
import type { Figure } from "../figure.ts"
import type { ControlPlane } from "../servers/control-plane.ts"
import { type FixtureName, fixtures, startCluster } from "../servers/fixtures.ts"
import { istiod } from "../servers/istiod.ts"
import { ours } from "../servers/ours.ts"
import { cpuSeconds, memoryMib } from "../servers/process-usage.ts"
import { median } from "../statistics.ts"

const rounds = 3

/** One start of a server. */
interface Start {
  readonly readyMs: number
  readonly peakMib: number
  readonly settledMib: number
  readonly cpuSeconds: number
}

const measure = async (server: ControlPlane, { kubeconfig }: KubeCluster, folder: string): Promise<Start> => {
  await using running = await server.start({ kubeconfig, folder })
  const { pid, readyMs } = running
  const used = cpuSeconds(pid)
  await new Promise((done) => setTimeout(done, 5000))
  return { readyMs, cpuSeconds: used, peakMib: memoryMib(pid, "VmHWM"), settledMib: memoryMib(pid, "VmRSS") }
}

const compared = (
  fixture: string,
  theirs: ReadonlyArray<Start>,
  ours: ReadonlyArray<Start>
): ReadonlyArray<Figure> => {
  const row = (
    name: string,
    unit: string,
    aim: number,
    of: (start: Start) => number
  ): ReadonlyArray<Figure> => {
    const [their, mine] = [median(theirs.map(of)), median(ours.map(of))]
    return [
      { name: `${fixture}: ${name}, istiod`, value: their, unit },
      { name: `${fixture}: ${name}, ours`, value: mine, unit },
      { name: `${fixture}: ${name}, ours/istiod`, value: mine / their, unit: "ratio", target: String(aim) }
    ]
  }
  return [
    ...row("start to ready", "ms", 0.9, ({ readyMs }) => readyMs),
    ...row("peak memory", "MiB", 0.7, ({ peakMib }) => peakMib),
    ...row("memory 5 s after", "MiB", 0.7, ({ settledMib }) => settledMib),
    ...row("CPU until ready", "s", 0.9, ({ cpuSeconds }) => cpuSeconds)
  ]
}

/** Fixtures A, B and C of the load client. */
export const startBesideIstiod = async (): Promise<ReadonlyArray<Figure>> => {
  const mine = await ours()
  const figures: Array<Figure> = []
  for (const fixture of Object.keys(fixtures) as ReadonlyArray<FixtureName>) {
    await using cluster = await startCluster(fixture)
    const folder = mkdtempSync(join(tmpdir(), "istiod-lite-bench-"))
    const [theirs, our]: [Array<Start>, Array<Start>] = [[], []]
    for (let round = 0; round < rounds; round++) {
      theirs.push(await measure(istiod, cluster, folder))
      our.push(await measure(mine, cluster, folder))
    }
    rmSync(folder, { recursive: true })
    figures.push(...compared(fixture, theirs, our))
  }
  return figures
}
