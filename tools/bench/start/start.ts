/**
 * Start to ready, and memory, beside the real istiod: on one API server, taking turns, three times each. Ours runs as the
 * bundle of `npm run build`, as images do.
 */
import { spawn } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { freePorts } from "../../kube-cluster/free-ports.ts"
import { type KubeCluster, startKubeCluster } from "../../kube-cluster/kube-cluster.ts"
import { ensureProgram } from "../../programs/program.ts"
import { runCommand } from "../../run-command.ts"
import type { Figure } from "../figure.ts"

const root = join(import.meta.dirname, "../../..")
const bundle = join(root, "apps/istiod-lite/dist/bundle/istiod-lite.sh")
const rounds = 3

const fixtures = {
  A: ["--services", "1000", "--endpoints", "10"],
  B: ["--services", "100", "--endpoints", "100", "--vms", "100"],
  C: ["--prefix", "big", "--services", "1", "--endpoints", "10000"]
} as const

/** One start of a server. */
interface Start {
  readonly readyMs: number
  readonly peakMib: number
  readonly settledMib: number
  readonly cpuSeconds: number
}

const statusOf = (pid: number, field: string): number =>
  Number(new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024

const cpuOf = (pid: number): number => {
  const [utime, stime] =
    readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ").slice(11, 13) ?? []
  return (Number(utime) + Number(stime)) / 100
}

const wait = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms))

const measure = async (
  command: string,
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>>,
  ready: string
): Promise<Start> => {
  const began = performance.now()
  const child = spawn(command, args, { stdio: "ignore", env: { ...process.env, ...env } })
  const pid = child.pid ?? 0
  const ended = new Promise((done) => child.on("exit", done))
  try {
    while (
      !(await fetch(ready).then(
        ({ ok }) => ok,
        () => false
      ))
    ) {
      if (child.exitCode !== null)
        throw new Error(`${command} ${args.join(" ")} ended with ${child.exitCode}`)
      if (performance.now() - began > 60_000) throw new Error(`${command} is not ready after a minute`)
      await wait(5)
    }
    const readyMs = performance.now() - began
    const cpuSeconds = cpuOf(pid)
    await wait(5000)
    return { readyMs, cpuSeconds, peakMib: statusOf(pid, "VmHWM"), settledMib: statusOf(pid, "VmRSS") }
  } finally {
    child.kill("SIGKILL")
    await ended
  }
}

const startIstiod = async (program: string, cluster: KubeCluster, folder: string): Promise<Start> => {
  const [grpc = 0, http = 0, monitoring = 0] = await freePorts(3)
  const mesh = join(folder, "mesh.yaml")
  writeFileSync(mesh, 'accessLogFile: ""\ndefaultConfig:\n  discoveryAddress: 127.0.0.1:15012\n')
  const args = [
    "discovery",
    `--kubeconfig=${cluster.kubeconfig}`,
    `--meshConfig=${mesh}`,
    `--networksConfig=${join(folder, "none.yaml")}`,
    "--namespace=istio-system",
    `--httpAddr=127.0.0.1:${http}`,
    "--httpsAddr=",
    `--grpcAddr=127.0.0.1:${grpc}`,
    "--secureGRPCAddr=",
    `--monitoringAddr=127.0.0.1:${monitoring}`,
    "--ctrlz_port=0",
    "--kubernetesApiQPS=400",
    "--kubernetesApiBurst=800"
  ]
  const env = {
    POD_NAME: "istiod-0",
    POD_NAMESPACE: "istio-system",
    REVISION: "default",
    CLUSTER_ID: "Kubernetes",
    PILOT_CERT_PROVIDER: "none",
    ENABLE_CA_SERVER: "false",
    VALIDATION_WEBHOOK_CONFIG_NAME: "",
    INJECTION_WEBHOOK_CONFIG_NAME: "",
    INJECT_ENABLED: "false",
    XDS_AUTH: "false",
    PILOT_ENABLE_STATUS: "false"
  }
  return measure(program, args, env, `http://127.0.0.1:${http}/ready`)
}

const startOurs = async (cluster: KubeCluster): Promise<Start> => {
  const [xds = 0, admin = 0] = await freePorts(2)
  const ports = ["--xds-port", String(xds), "--admin-port", String(admin)]
  const args = [bundle, "serve", "--kubeconfig", cluster.kubeconfig, ...ports]
  const env = { POD_NAME: `bench-${xds}`, ISTIOD_LITE_NODE: process.execPath }
  return measure("sh", args, env, `http://127.0.0.1:${admin}/ready`)
}

const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

const compared = (
  fixture: string,
  istiod: ReadonlyArray<Start>,
  ours: ReadonlyArray<Start>
): ReadonlyArray<Figure> => {
  const row = (
    name: string,
    unit: string,
    aim: number,
    of: (start: Start) => number
  ): ReadonlyArray<Figure> => {
    const [theirs, mine] = [median(istiod.map(of)), median(ours.map(of))]
    return [
      { name: `${fixture}: ${name}, istiod`, value: theirs, unit },
      { name: `${fixture}: ${name}, ours`, value: mine, unit },
      { name: `${fixture}: ${name}, ours/istiod`, value: mine / theirs, unit: "ratio", target: String(aim) }
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
  const istiod = await ensureProgram("istiod")
  const xdsload = await ensureProgram("xdsload")
  const built = await runCommand("npx", ["nx", "run", "@istiod-lite/app:build"])
  if (built.code !== 0 || !existsSync(bundle)) throw new Error(`Cannot build the bundle: ${built.output}`)
  const figures: Array<Figure> = []
  for (const [fixture, sizes] of Object.entries(fixtures)) {
    await using cluster = await startKubeCluster()
    await cluster.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: "istio-system" } })
    const api = ["--api", cluster.server, "--token", "admin-token", "--ca", cluster.certificate]
    const loaded = await runCommand(xdsload, ["gen", ...api, ...sizes])
    if (loaded.code !== 0) throw new Error(`Cannot load fixture ${fixture}: ${loaded.output}`)
    const folder = mkdtempSync(join(tmpdir(), "istiod-lite-bench-"))
    const [theirs, ours]: [Array<Start>, Array<Start>] = [[], []]
    for (let round = 0; round < rounds; round++) {
      theirs.push(await startIstiod(istiod, cluster, folder))
      ours.push(await startOurs(cluster))
    }
    rmSync(folder, { recursive: true })
    figures.push(...compared(fixture, theirs, ours))
  }
  return figures
}
