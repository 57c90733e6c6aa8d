import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { startChild, untilReady } from "../test-e2e/support/child.ts"
import { eventually } from "../test-e2e/support/eventually.ts"
import { freePort } from "../test-e2e/support/ports.ts"
import { type KubeCluster, startKubeCluster } from "../tools/kube-cluster/kube-cluster.ts"
import { ensureProgram } from "../tools/programs/program.ts"
import { runCommand } from "../tools/run-command.ts"
import { startReplica } from "./support/replicas.ts"

const root = join(import.meta.dirname, "..")

/** The blocks of docs/kind.md that need no kubelet, in their order, with the first line of each as its name. */
const steps = [...readFileSync(join(root, "docs/kind.md"), "utf8").matchAll(/```sh run\n([\s\S]*?)```/g)].map(
  ([, script = ""]) => [script.split("\n")[0] ?? "", script] as const
)

describe("the steps of docs/kind.md", () => {
  const resources = new AsyncDisposableStack()
  let cluster: KubeCluster

  beforeAll(async () => {
    cluster = resources.use(await startKubeCluster())
  })
  afterAll(() => resources.disposeAsync())

  it("are there", () => {
    assert.isAtLeast(steps.length, 7)
  })

  it.each(steps)("%s", async (_, script) => {
    // The token is written beside the cluster's files, not into the working copy.
    const text = `set -e\n${script.replace("> token", `> ${cluster.folder}/token`)}`
    const args = ["-c", text]
    const env = { KUBECONFIG: cluster.kubeconfig }
    const { code, output } = await runCommand("bash", ["-c", `cd '${root}' && ${args[1]}`], env)
    assert.strictEqual(code, 0, output)
  })

  it("Envoy with examples/kind/envoy.yaml registers its machine, and knows its endpoint", async () => {
    const replica = resources.use(await startReplica(cluster, "replica-a"))
    const [listener, admin] = [await freePort(), await freePort()]
    const config = join(cluster.folder, "envoy.yaml")
    const text = readFileSync(join(root, "examples/kind/envoy.yaml"), "utf8")
      .replace("TOKEN\n", `${readFileSync(join(cluster.folder, "token"), "utf8").trim()}\n`)
      .replace("address: 192.0.2.10, port_value: 30010", `address: 127.0.0.1, port_value: ${replica.xdsPort}`)
      .replace("port_value: 9080", `port_value: ${listener}`)
      .replace("port_value: 15000", `port_value: ${admin}`)
    writeFileSync(config, text)
    const envoy = startChild(await ensureProgram("envoy"), [
      "-c",
      config,
      "--use-dynamic-base-id",
      "-l",
      "warn"
    ])
    resources.defer(() => void envoy.terminate())
    await untilReady("Envoy", envoy, `http://127.0.0.1:${admin}/ready`)
    const entry = () => cluster.kubectl(["get", "workloadentry", "-n", "shop", "-o", "name"])
    await eventually("the machine has an entry", entry, (names) => names.includes("billing-192.0.2.101"))
    const clusters = async () => (await fetch(`http://127.0.0.1:${admin}/clusters`)).text()
    await eventually("Envoy has the endpoint", clusters, (lines) => lines.includes("::192.0.2.101:8080::"))
  })
})
