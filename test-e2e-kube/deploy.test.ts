import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { parseAllDocuments } from "yaml"
import { eventually } from "../test-e2e/support/eventually.ts"
import { ensureProgram } from "../tools/programs/program.ts"
import { runCommand } from "../tools/run-command.ts"
import { type KubeCluster, startKubeCluster } from "../tools/kube-cluster/kube-cluster.ts"
import { connectMachine } from "./support/machine.ts"
import { multiClusterCrds, serviceImport } from "./support/multi-cluster-objects.ts"
import { namespace, service, serviceAccount, serviceEntry, workloadGroup } from "./support/objects.ts"
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

/** `list pods of core`, for each right of all roles among the manifests. */
const rightsOf = (manifests: ReadonlyArray<Manifest>): ReadonlyArray<string> =>
  manifests.flatMap(({ rules = [] }) =>
    rules.flatMap(({ apiGroups, resources: names, verbs }) =>
      apiGroups.flatMap((group) =>
        names.flatMap((name) => verbs.map((verb) => `${verb} ${name} of ${group || "core"}`))
      )
    )
  )

const rightOf = ({ objectRef, verb }: AuditEvent): string => {
  const { apiGroup = "", resource = "", subresource } = objectRef ?? {}
  return `${verb} ${subresource === undefined ? resource : `${resource}/${subresource}`} of ${apiGroup || "core"}`
}

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

  it.each(["base", "overlays/tls", "overlays/mcs", "overlays/mcs-auto-export"])(
    "the API server takes kustomize/%s",
    async (folder) => {
      assert.match(
        await dryRun(await kustomize(folder)),
        /deployment\.apps\/istiod-lite created \(server dry run\)/
      )
    }
  )

  it.each([
    [[]],
    [["--set", "tls.enabled=true"]],
    [["--set", "mcs.serviceDiscovery=true,mcs.host=true,mcs.clusterLocal=true,mcs.autoExport=true"]],
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

  it.each([
    ["mcs.host=true", "mcs.host needs mcs.serviceDiscovery"],
    ["mcs.serviceDiscovery=true,mcs.clusterLocal=true", "mcs.clusterLocal needs mcs.host"]
  ])("the chart refuses what the program would: %s", async (values, reason) => {
    const refusal = await chart("--set", values).catch(String)
    assert.include(refusal, reason)
  })

  it.each([
    ["base", []],
    ["overlays/mcs", ["--set", "mcs.serviceDiscovery=true,mcs.host=true"]],
    ["overlays/mcs-auto-export", ["--set", "mcs.serviceDiscovery=true,mcs.host=true,mcs.autoExport=true"]]
  ])("the chart and Kustomize make the same: %s", async (folder, args) => {
    assert.deepStrictEqual(
      byName(documents(await chart(...args))),
      byName(documents(await kustomize(folder)))
    )
  })

  /** What the account has asked the API server for; fails if it was refused anything. */
  const asked = (): ReadonlyArray<AuditEvent> => {
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
    return events
  }

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

    const events = asked()
    const used = new Set(events.map(rightOf))
    const granted = rightsOf(documents(base))
    assert.deepStrictEqual(
      granted.filter((right) => !used.has(right)),
      [],
      "rights that nothing used"
    )
    console.info(`${granted.length} rights, all used; ${events.length} requests, none refused`)
  })

  it("what Multi-Cluster Services add to the role suffices, and nothing in it is unused", async () => {
    await cluster.apply(...multiClusterCrds)
    await cluster.kubectl(["wait", "--for=condition=Established", "--timeout=30s", "crd", "--all"])
    const overlay = await kustomize("overlays/mcs-auto-export")
    await cluster.kubectl(["apply", "-f", "-"], overlay)
    const kubeconfig = cluster.kubeconfigWith(await cluster.token("istio-system", "istiod-lite"))
    const switches = ["--mcs-service-discovery", "--mcs-host", "--mcs-auto-export"]
    const replica = await startReplicaAt(kubeconfig, "replica-c", ...switches)
    await cluster.apply(service("web", 8080), serviceImport("web", "10.112.0.1"))
    await eventually(
      "the service is exported",
      () => cluster.kubectl(["get", "serviceexports", "-n", "shop", "-o", "name"]),
      (text) => text.includes("/web")
    )
    await eventually(
      "its host is there",
      () => replica.query("services"),
      (text) => text.includes("web.shop.svc.clusterset.local")
    )
    assert.strictEqual(await replica.terminate(), 0)
    const base = new Set(rightsOf(documents(await kustomize("base"))))
    const added = rightsOf(documents(overlay)).filter((right) => !base.has(right))
    assert.lengthOf(added, 5)
    const used = new Set(asked().map(rightOf))
    assert.deepStrictEqual(
      added.filter((right) => !used.has(right)),
      [],
      "rights that nothing used"
    )
  })
})
