import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { KubeCluster } from "../../kube-cluster/kube-cluster.ts"
import { ensureProgram } from "../../programs/program.ts"
import { runCommand } from "../../run-command.ts"
import type { RunningControlPlane, StartOptions, TlsFiles } from "../servers/control-plane.ts"
import { apiFlags } from "../servers/fixtures.ts"
import { type ClientRun, readClientRun } from "./client-report.ts"
import type { Workload } from "./workloads.ts"

/** What runs of a workload need: it is there for all of them. */
export interface Stage extends AsyncDisposable {
  readonly cluster: KubeCluster
  readonly xdsload: string
  /** how servers are started */
  readonly start: StartOptions
}

const wait = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms))

const makeCertificates = async (xdsload: string, folder: string): Promise<TlsFiles> => {
  const made = await runCommand(xdsload, ["certs", "--out", folder])
  if (made.code !== 0) throw new Error(`Cannot make certificates: ${made.output}`)
  const file = (name: string): string => join(folder, name)
  return { ca: file("ca.crt"), cert: file("server.crt"), key: file("server.key") }
}

/** Brings the objects of a workload into a cluster and makes the certificates that it needs. */
export const stageFor = async (
  { objects = [], tls = false }: Workload,
  cluster: KubeCluster
): Promise<Stage> => {
  const xdsload = await ensureProgram("xdsload")
  await using resources = new AsyncDisposableStack()
  const folder = mkdtempSync(join(tmpdir(), "istiod-lite-bench-"))
  resources.defer(() => rmSync(folder, { recursive: true }))
  const list = JSON.stringify({ apiVersion: "v1", kind: "List", items: objects })
  if (objects.length > 0) {
    await cluster.apply(...objects)
    resources.defer(async () => void (await cluster.kubectl(["delete", "-f", "-"], list)))
  }
  const files = tls ? await makeCertificates(xdsload, folder) : undefined
  const all = resources.move()
  return {
    cluster,
    xdsload,
    start: { kubeconfig: cluster.kubeconfig, folder, tls: files },
    [Symbol.asyncDispose]: () => all.disposeAsync()
  }
}

const tlsFlags = ({ folder, tls }: StartOptions): ReadonlyArray<string> =>
  tls === undefined
    ? []
    : ["--tls-ca", tls.ca, "--tls-cert", join(folder, "client.crt"), "--tls-key", join(folder, "client.key")]

/** Lets the client do a workload to a server that has just become ready; what came of each phase. */
export const runPhases = async (
  { phases }: Workload,
  { cluster, start, xdsload }: Stage,
  { address, pid }: RunningControlPlane
): Promise<Readonly<Record<string, ClientRun>>> => {
  await wait(1000)
  const runs: Record<string, ClientRun> = {}
  for (const { client, name } of phases) {
    const where = ["--addr", address, "--server-pids", `${pid}`]
    const args = [
      "run",
      ...where,
      ...apiFlags(cluster),
      ...tlsFlags(start),
      ...client.split(" ").filter((flag) => flag !== "")
    ]
    const { code, output } = await runCommand(xdsload, args)
    runs[name] = readClientRun(code, output)
  }
  return runs
}
