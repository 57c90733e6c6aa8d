/**
 * `npm run conformance -- [--via-apiserver] …`: the scenario runner; with --via-apiserver on real API servers, one for
 * each cluster that a scenario may have.
 */
import { spawn } from "node:child_process"
import { join } from "node:path"
import { startKubeCluster } from "./kube-cluster/kube-cluster.ts"

const runner = join(import.meta.dirname, "../packages/testkit/src/conformance/main.ts")
const mostClusters = 3

const run = (args: ReadonlyArray<string>): Promise<number> =>
  new Promise((done, fail) => {
    const child = spawn(process.execPath, [runner, ...args], { stdio: "inherit" })
    child.on("error", fail)
    child.on("close", (code) => done(code ?? 1))
  })

const viaApiServers = async (args: ReadonlyArray<string>): Promise<number> => {
  await using clusters = new AsyncDisposableStack()
  const kubeconfigs: Array<string> = []
  for (let i = 0; i < mostClusters; i++) {
    const cluster = clusters.use(await startKubeCluster({ serviceCidr: "10.111.0.0/16,fd00:111::/108" }))
    for (const [index, cidr] of serviceCidrs.entries()) {
      await cluster.apply({
        apiVersion: "networking.k8s.io/v1",
        kind: "ServiceCIDR",
        metadata: { name: `scenarios-${index}` },
        spec: { cidrs: [cidr] }
      })
    }
    kubeconfigs.push(cluster.kubeconfig)
  }
  return await run([...kubeconfigs.flatMap((file) => ["--kubeconfig", file]), ...args])
}

/** The addresses of Services that scenarios use, beside those of the servers' own range. */
const serviceCidrs = [
  "10.96.0.0/13",
  "10.0.0.0/12",
  "10.32.0.0/12",
  "10.192.0.0/12",
  "192.0.2.0/24",
  "172.30.0.0/16",
  "fd00:96::/108",
  "2001:db8:96::/108"
]

const args = process.argv.slice(2)
const others = args.filter((arg) => arg !== "--via-apiserver")
process.exitCode = others.length === args.length ? await run(args) : await viaApiServers(others)
