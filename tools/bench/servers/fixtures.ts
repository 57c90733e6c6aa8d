import { type KubeCluster, startKubeCluster } from "../../kube-cluster/kube-cluster.ts"
import { ensureProgram } from "../../programs/program.ts"
import { runCommand } from "../../run-command.ts"

/** Sizes of the fixtures of `xdsload gen`. */
export const fixtures = {
  A: ["--services", "1000", "--endpoints", "10"],
  B: ["--services", "100", "--endpoints", "100", "--vms", "100"],
  C: ["--prefix", "big", "--services", "1", "--endpoints", "10000"]
} as const

export type FixtureName = keyof typeof fixtures

/** How the load client speaks to the API server of a cluster. */
export const apiFlags = ({ certificate, server }: KubeCluster): ReadonlyArray<string> => [
  "--api",
  server,
  "--token",
  "admin-token",
  "--ca",
  certificate
]

/** A new API server with a fixture. Takes up to 40 s. */
export const startCluster = async (fixture: FixtureName): Promise<KubeCluster> => {
  const xdsload = await ensureProgram("xdsload")
  await using resources = new AsyncDisposableStack()
  const cluster = resources.use(await startKubeCluster())
  await cluster.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: "istio-system" } })
  process.stderr.write(`bench: loading fixture ${fixture}\n`)
  const loaded = await runCommand(xdsload, ["gen", ...apiFlags(cluster), ...fixtures[fixture]])
  if (loaded.code !== 0) throw new Error(`Cannot load fixture ${fixture}: ${loaded.output}`)
  resources.move()
  return cluster
}
