import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { eventually } from "../test-e2e/support/eventually.ts"
import { type KubeCluster, startKubeCluster } from "../tools/kube-cluster/kube-cluster.ts"
import { connectMachine, type Machine } from "./support/machine.ts"
import { machine, namespace, serviceAccount, serviceEntry, workloadGroup } from "./support/objects.ts"
import { rendered } from "./support/rendered.ts"
import { type Replica, startReplica } from "./support/replicas.ts"
import { startVm, type Vm } from "./support/vm.ts"

const billing = "outbound|80||billing.shop.internal"
const port = 18_080

interface Entry {
  readonly metadata: {
    readonly name: string
    readonly labels: Readonly<Record<string, string>>
    readonly annotations: Readonly<Record<string, string>>
    readonly ownerReferences: ReadonlyArray<{ readonly kind: string; readonly name: string }>
  }
  readonly spec: { readonly address: string; readonly serviceAccount: string }
  readonly status?: {
    readonly conditions?: ReadonlyArray<{ readonly type: string; readonly status: string }>
  }
}

// One story: each test goes on where the one before stopped.
describe("machines that register themselves, two replicas", () => {
  const resources = new AsyncDisposableStack()
  const grace = ["--grace-period", "2", "--listen", "0.0.0.0"]
  let cluster: KubeCluster
  let a: Replica
  let b: Replica
  let client: Machine
  let token: string

  beforeAll(async () => {
    cluster = resources.use(await startKubeCluster())
    await cluster.apply(namespace("shop"), namespace("istio-system"))
    await cluster.apply(
      serviceEntry("billing.shop.internal", "billing"),
      workloadGroup("billing", port),
      serviceAccount("billing-vm"),
      serviceAccount("web")
    )
    token = await cluster.token("shop", "billing-vm", "istio-ca")
    a = resources.use(await startReplica(cluster, "replica-a", ...grace))
    b = resources.use(await startReplica(cluster, "replica-b", ...grace))
    client = resources.use(connectMachine({ port: b.xdsPort, address: "192.0.2.99" }))
    client.ask(billing)
    await client.until(billing, [])
  })
  afterAll(() => resources.disposeAsync())

  const entries = async (): Promise<ReadonlyArray<Entry>> => {
    const text = await cluster.kubectl(["get", "workloadentry", "-n", "shop", "-o", "json"])
    return (JSON.parse(text) as { readonly items: ReadonlyArray<Entry> }).items
  }
  const entry = async (name: string): Promise<Entry | undefined> =>
    (await entries()).find(({ metadata }) => metadata.name === name)
  const controller = "istio.io/workloadController"
  const register = (replica: Replica, address: string, by: string | undefined = token): Machine => {
    const options = { port: replica.xdsPort, address, group: "billing", labels: { tier: "node" } }
    const vm = resources.use(connectMachine(by === undefined ? options : { ...options, token: by }))
    vm.ask(billing)
    return vm
  }
  const settled = async (): Promise<void> => {
    await client.until(billing, (await rendered(cluster))[billing] ?? [])
  }

  it("only a proven identity of the group's namespace and service account registers (case 54)", async () => {
    const stranger = await cluster.token("shop", "web", "istio-ca")
    for (const [by, reason] of [
      [stranger, /not service account billing-vm/],
      [undefined, /needs an identity/],
      ["no.real.token", /token is not valid/]
    ] as const) {
      const options = { port: a.xdsPort, address: "192.0.2.66", group: "billing" }
      await using impostor = connectMachine(by === undefined ? options : { ...options, token: by })
      impostor.ask(billing)
      const end = await eventually(
        "the stream is refused",
        async () => impostor.end(),
        (it) => it !== undefined
      )
      assert.strictEqual(end?.code, 7)
      assert.match(end?.details ?? "", reason)
    }
    assert.deepStrictEqual(await entries(), [])
    assert.match(await a.query("vm", "list"), /not service account billing-vm/)
  })

  it("registers a machine with labels, owner and replica; clients of the other replica get it (case 46)", async () => {
    const vm = register(a, "192.0.2.101")
    const milliseconds = await client.until(billing, [`192.0.2.101:${port}`])
    console.info(`a machine's endpoint at the other replica ${milliseconds.toFixed(0)} ms after it connected`)
    const made = await entry("billing-192.0.2.101")
    assert.deepInclude(made?.metadata.labels, { app: "billing", tier: "node" })
    assert.deepInclude(made?.metadata.annotations, { [controller]: "replica-a" })
    assert.deepInclude(made?.metadata.ownerReferences[0], { kind: "WorkloadGroup", name: "billing" })
    assert.strictEqual(made?.spec.serviceAccount, "billing-vm")
    await settled()
    assert.match(
      await b.query("vm", "list"),
      /shop\/billing-192\.0\.2\.101 +192\.0\.2\.101 +group billing +connected +replica-a/
    )
    vm.close()
    await client.until(billing, [])
    await eventually("the entry is gone", entries, (left) => left.length === 0)
  })

  it("moves to another replica without its endpoint going away (case 52)", async () => {
    const first = register(a, "192.0.2.102")
    await client.until(billing, [`192.0.2.102:${port}`])
    register(b, "192.0.2.102")
    await eventually(
      "replica-b has it",
      () => entry("billing-192.0.2.102"),
      (it) => it?.metadata.annotations[controller] === "replica-b"
    )
    first.close()
    // Longer than the grace period, after which replica-a would have had its entry deleted.
    await new Promise((done) => setTimeout(done, 4000))
    assert.deepStrictEqual(client.endpoints(billing), [`192.0.2.102:${port}`])
    assert.strictEqual((await entry("billing-192.0.2.102"))?.metadata.annotations[controller], "replica-b")
    await settled()
  })

  it("IPv6 machines and machines behind one address register, each for itself (cases 47, 51)", async () => {
    const six = register(a, "2001:db8:7::15")
    await eventually(
      "it is registered",
      () => entry("billing-2001-db8-7--15"),
      (it) => it?.spec.address === "2001:db8:7::15"
    )
    await cluster.apply(workloadGroup("alpha", port), serviceAccount("alpha-vm"))
    const alpha = resources.use(
      connectMachine({
        port: a.xdsPort,
        address: "192.0.2.102",
        group: "alpha",
        token: await cluster.token("shop", "alpha-vm", "istio-ca")
      })
    )
    alpha.ask(billing)
    await eventually("both groups have an entry", entries, (all) => all.length === 3)
    six.close()
    alpha.close()
    await eventually("one is left", entries, (all) => all.length === 1)
  })

  it("a machine in its own network registers, turns unhealthy, recovers, loses its network", async () => {
    const vm: Vm = resources.use(await startVm(1, port))
    const endpoint = `${vm.address}:${port}`
    const with1 = ["192.0.2.102:18080", endpoint]
    vm.connect(a.xdsPort, token, "billing")
    await eventually(
      "it is registered",
      () => entry(`billing-${vm.address}`),
      (it) => it !== undefined
    )
    assert.deepStrictEqual(
      client.endpoints(billing),
      ["192.0.2.102:18080"],
      "it serves before it is known to be healthy"
    )
    for (const [message, endpoints] of [
      [undefined, with1],
      ["disk full", ["192.0.2.102:18080"]],
      [undefined, with1]
    ] as const) {
      vm.report(message)
      const milliseconds = await client.until(billing, endpoints)
      console.info(
        `${message ?? "healthy"}: told to clients of the other replica ${milliseconds.toFixed(0)} ms after the report`
      )
      await settled()
    }
    assert.match(
      await a.query("vm", "list"),
      new RegExp(`${vm.address.replaceAll(".", "\\.")}.*healthy \\(by proxy\\)`)
    )
    await vm.cut()
    // Its silence is noticed by keepalive pings; then the grace period.
    await eventually(
      "its entry is gone",
      () => entry(`billing-${vm.address}`),
      (it) => it === undefined,
      90_000
    )
    await client.until(billing, ["192.0.2.102:18080"])
    await settled()
  })

  it("the control plane probes a machine that has no agent", async () => {
    const vm = resources.use(await startVm(2, port))
    const probe = { httpGet: { path: "/", port }, periodSeconds: 1, failureThreshold: 1 }
    const written = machine("probed", "billing", vm.address, port) as { readonly metadata: object }
    await cluster.apply({
      ...written,
      metadata: { ...written.metadata, annotations: { "istiod-lite.io/probe": JSON.stringify(probe) } }
    })
    await client.until(billing, ["192.0.2.102:18080", `${vm.address}:${port}`])
    await vm.cut()
    await client.until(billing, ["192.0.2.102:18080"])
    await cluster.kubectl(["delete", "workloadentry", "probed", "-n", "shop"])
    await settled()
  })

  it("a lease of an entry ends", async () => {
    const written = machine("leased", "billing", "192.0.2.150", port) as { readonly metadata: object }
    const expires = new Date(Date.now() + 4000).toISOString()
    await cluster.apply({
      ...written,
      metadata: { ...written.metadata, annotations: { "istiod-lite.io/expires": expires } }
    })
    await client.until(billing, ["192.0.2.102:18080", `192.0.2.150:${port}`])
    await client.until(billing, ["192.0.2.102:18080"])
    assert.isUndefined(await entry("leased"))
  })

  it("a machine and its replica die together: the leader cleans up (case 52's kind)", async () => {
    // The machine of replica-b; replica-a, or whoever leads then, finds the orphan.
    await b.kill()
    await using survivor = connectMachine({ port: a.xdsPort, address: "192.0.2.98" })
    survivor.ask(billing)
    await survivor.until(billing, [`192.0.2.102:${port}`])
    await eventually("the orphan is gone", entries, (left) => left.length === 0, 90_000)
    await survivor.until(billing, [])
  })
})
