import { readFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { runCommand } from "../tools/run-command.ts"
import { type KubeCluster, startKubeCluster } from "../tools/kube-cluster/kube-cluster.ts"

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
})
