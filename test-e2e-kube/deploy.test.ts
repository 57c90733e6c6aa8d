import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { parseAllDocuments } from "yaml"
import { eventually } from "../test-e2e/support/eventually.ts"
import { ensureProgram } from "../tools/programs/program.ts"
import { runCommand } from "../tools/run-command.ts"
import { type KubeCluster, startKubeCluster } from "../tools/kube-cluster/kube-cluster.ts"
import { connectMachine } from "./support/machine.ts"
import { namespace, serviceAccount, serviceEntry, workloadGroup } from "./support/objects.ts"
import { startReplicaAt } from "./support/replicas.ts"

const deploy = join(import.meta.dirname, "../deploy")
const account = "system:serviceaccount:istio-system:istiod-lite"

/** What of an audit event tells whether a right was used. */
interface AuditEvent {
  readonly verb: string
  readonly user: { readonly username: string }
  readonly objectRef?: {
    readonly apiGroup?: string
    readonly resource: string
    readonly subresource?: string
  }
  readonly requestURI: string
  readonly responseStatus?: { readonly code: number }
}

interface Manifest {
  readonly kind: string
  readonly metadata: { readonly name: string }
  readonly rules?: ReadonlyArray<{
    readonly apiGroups: ReadonlyArray<string>
    readonly resources: ReadonlyArray<string>
    readonly verbs: ReadonlyArray<string>
  }>
}

const documents = (yaml: string): ReadonlyArray<Manifest> =>
  parseAllDocuments(yaml).map((document) => document.toJS() as Manifest)

const byName = (manifests: ReadonlyArray<Manifest>): Readonly<Record<string, Manifest>> =>
  Object.fromEntries(manifests.map((one) => [`${one.kind}/${one.metadata.name}`, one]))

describe("what is deployed", () => {
  const resources = new AsyncDisposableStack()
  let cluster: KubeCluster
  let helm: string

  beforeAll(async () => {
    helm = await ensureProgram("helm")
    const auditPolicy = {
      apiVersion: "audit.k8s.io/v1",
      kind: "Policy",
      omitStages: ["RequestReceived"],
      rules: [{ level: "Metadata", users: [account] }, { level: "None" }]
    }
    cluster = resources.use(await startKubeCluster({ auditPolicy }))
    await cluster.apply(namespace("istio-system"), namespace("shop"))
  }, 300_000)
  afterAll(() => resources.disposeAsync())

  const kustomize = (folder: string): Promise<string> =>
    cluster.kubectl(["kustomize", join(deploy, "kustomize", folder)])
  const chart = async (...args: ReadonlyArray<string>): Promise<string> => {
    const { code, output } = await runCommand(helm, [
      "template",
      "istiod-lite",
      join(deploy, "helm/istiod-lite"),
      "--kube-version",
      "1.34.4",
      ...args
    ])
    if (code !== 0) throw new Error(`helm template ended with ${code}: ${output}`)
    return output
  }
  const dryRun = (yaml: string): Promise<string> =>
    cluster.kubectl(["apply", "--dry-run=server", "-f", "-"], yaml)

  it.each(["base", "overlays/tls"])("the API server takes kustomize/%s", async (folder) => {
    assert.match(
      await dryRun(await kustomize(folder)),
      /deployment\.apps\/istiod-lite created \(server dry run\)/
    )
  })

  it.each([
    [[]],
    [["--set", "tls.enabled=true"]],
    [
      [
        "--set",
        "replicas=3,autoscaling.enabled=false,networkPolicy.enabled=false,disruptionBudget.enabled=false"
      ]
    ],
    [["--set", "rbac.create=false,systemNamespace=shop", "--set-json", 'extraArgs=["--grace-period","30"]']]
  ])("the API server takes the chart with %j", async (args) => {
    assert.match(
      await dryRun(await chart(...args)),
      /deployment\.apps\/istiod-lite created \(server dry run\)/
    )
  })

  it("the chart and Kustomize make the same", async () => {
    assert.deepStrictEqual(byName(documents(await chart())), byName(documents(await kustomize("base"))))
  })

  it("the role suffices, and nothing in it is unused", async () => {
    const base = await kustomize("base")
    await cluster.kubectl(["apply", "-f", "-"], base)
    const kubeconfig = cluster.kubeconfigWith(await cluster.token("istio-system", "istiod-lite"))
    const first = await startReplicaAt(kubeconfig, "replica-a", "--grace-period", "1")
    const second = await startReplicaAt(kubeconfig, "replica-b", "--grace-period", "1")
    await cluster.apply(
      serviceEntry("billing.shop.internal", "billing"),
      workloadGroup("billing", 8080),
      serviceAccount("billing-vm")
    )
    const token = await cluster.token("shop", "billing-vm", "istio-ca")
    const machine = connectMachine({
      port: second.xdsPort,
      address: "192.0.2.101",
      group: "billing",
      token,
      checksHealth: true
    })
    const billing = "outbound|80||billing.shop.internal"
    machine.ask(billing)
    machine.report()
    await machine.until(billing, ["192.0.2.101:8080"])
    const said = (path: string) =>
      cluster.kubectl(["get", "serviceentry", "billing", "-n", "shop", "-o", `jsonpath={${path}}`])
    await eventually(
      "addresses are written",
      () => said(".status.addresses"),
      (text) => text !== ""
    )
    machine.close()
    const left = () => cluster.kubectl(["get", "workloadentry", "-n", "shop", "-o", "name"])
    await eventually("the machine's entry is gone", left, (text) => text === "")
    // Both renew what says that they are alive, and give up what they hold.
    await new Promise((done) => setTimeout(done, 11_000))
    assert.strictEqual(await first.terminate(), 0)
    assert.strictEqual(await second.terminate(), 0)

    assert.isTrue(existsSync(cluster.auditLog))
    const events = readFileSync(cluster.auditLog, "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as AuditEvent)
      .filter(({ user }) => user.username === account)
    const refused = events.filter(({ responseStatus }) => responseStatus?.code === 403)
    assert.deepStrictEqual(
      refused.map(({ requestURI, verb }) => `${verb} ${requestURI}`),
      []
    )
    const used = new Set(
      events.map(({ objectRef, verb }) => {
        const { apiGroup = "", resource = "", subresource } = objectRef ?? {}
        return `${verb} ${subresource === undefined ? resource : `${resource}/${subresource}`} of ${apiGroup || "core"}`
      })
    )
    const granted = documents(base).flatMap(({ rules = [] }) =>
      rules.flatMap(({ apiGroups, resources: names, verbs }) =>
        apiGroups.flatMap((group) =>
          names.flatMap((name) => verbs.map((verb) => `${verb} ${name} of ${group || "core"}`))
        )
      )
    )
    assert.deepStrictEqual(
      granted.filter((right) => !used.has(right)),
      [],
      "rights that nothing used"
    )
    console.info(`${granted.length} rights, all used; ${events.length} requests, none refused`)
  })
})
