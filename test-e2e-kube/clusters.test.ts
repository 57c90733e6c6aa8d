import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { eventually } from "../test-e2e/support/eventually.ts"
import { type KubeCluster, startKubeCluster } from "../tools/kube-cluster/kube-cluster.ts"
import { connectMachine, type Machine } from "./support/machine.ts"
import { namespace, service, slice } from "./support/objects.ts"
import { portable, secret } from "./support/cluster-secret.ts"
import { rendered } from "./support/rendered.ts"
import { type Replica, startReplica } from "./support/replicas.ts"

const web = "outbound|80||web.shop.svc.cluster.local"
const port = 8080
const home = `198.51.100.11:${port}`
const east = `203.0.113.11:${port}`

interface ClusterLine {
  readonly cluster: string
  readonly synced: boolean
  readonly state: string
  readonly error?: string
}

// One story: each test goes on where the one before stopped.
describe("clusters by secret, two API servers", () => {
  const resources = new AsyncDisposableStack()
  let cluster: KubeCluster
  let remote: KubeCluster
  let replica: Replica
  let client: Machine

  beforeAll(async () => {
    cluster = resources.use(await startKubeCluster())
    remote = resources.use(await startKubeCluster({ crds: false }))
    await cluster.apply(namespace("shop"), namespace("istio-system"))
    await remote.apply(namespace("shop"))
    await cluster.apply(service("web", port), slice("web", 1, port, ["198.51.100.11"]))
    await remote.apply(service("web", port), slice("web", 1, port, ["203.0.113.11"]))
    // Case 44: a cluster whose API server does not answer, from the start.
    await cluster.apply(
      secret("east", { east: portable(remote) }),
      secret("west", { west: portable(remote, "https://192.0.2.250:6443") })
    )
    const began = performance.now()
    replica = resources.use(await startReplica(cluster, "replica-a", "--cluster-timeout", "3"))
    console.info(`ready without west after ${((performance.now() - began) / 1000).toFixed(1)} s`)
    client = resources.use(connectMachine({ port: replica.xdsPort, address: "192.0.2.99" }))
    client.ask(web)
  })
  afterAll(() => resources.disposeAsync())

  const clusters = async (): Promise<ReadonlyArray<ClusterLine>> =>
    JSON.parse(await replica.query("clusters", "-o", "json")) as ReadonlyArray<ClusterLine>
  const lineOf = async (id: string): Promise<ClusterLine | undefined> =>
    (await clusters()).find((line) => line.cluster === id)

  it("serves what is known, and says what is missing (case 44)", async () => {
    await client.until(web, [home, east])
    const states = (await clusters()).map(({ cluster: id, state }) => [id, state])
    assert.deepStrictEqual(states, [
      ["Kubernetes", "synced"],
      ["east", "synced"],
      ["west", "timeout"]
    ])
    assert.isNotEmpty((await lineOf("west"))?.error)
    assert.match(await replica.query("explain", "service", "web.shop"), /cluster west is not synced/)
  })

  it("a credential that is replaced never empties an endpoint; a bad one takes nothing down", async () => {
    await remote.apply({
      apiVersion: "v1",
      kind: "ServiceAccount",
      metadata: { name: "reader", namespace: "shop" }
    })
    await remote.kubectl([
      "create",
      "clusterrolebinding",
      "reader",
      "--clusterrole=view",
      "--serviceaccount=shop:reader"
    ])
    const fresh = await remote.token("shop", "reader")
    await cluster.apply(
      secret("east", { east: portable(remote, remote.server, "a-token-that-nobody-knows") })
    )
    await eventually(
      "the bad one is told, the old one serves",
      () => lineOf("east"),
      (line) => line?.state === "synced" && (line.error ?? "") !== ""
    )
    await cluster.apply(secret("east", { east: portable(remote, remote.server, fresh) }))
    await remote.apply(slice("web", 2, port, ["203.0.113.12"]))
    await client.until(web, [home, east, `203.0.113.12:${port}`])
    assert.isFalse(client.wasEmptied(web))
    await cluster.apply(secret("broken", { south: "no kubeconfig" }))
    const south = await eventually(
      "south is told as failed",
      () => lineOf("south"),
      (line) => line?.state === "failed"
    )
    assert.match(south?.error ?? "", /secret broken/)
    assert.deepStrictEqual(client.endpoints(web), [home, east, `203.0.113.12:${port}`].toSorted())
  })

  it("a cluster that answers at last is served", async () => {
    await cluster.apply(secret("west", { west: portable(remote) }))
    await eventually(
      "west is synced",
      () => lineOf("west"),
      (line) => line?.state === "synced"
    )
    await client.until(web, [home, east, `203.0.113.12:${port}`])
  })

  it("a cluster goes with its secret", async () => {
    await cluster.kubectl(["delete", "secret", "east", "west", "broken", "-n", "istio-system"])
    await client.until(web, [home])
    assert.deepStrictEqual(
      (await clusters()).map(({ cluster: id }) => id),
      ["Kubernetes"]
    )
    await client.until(web, (await rendered(cluster))[web] ?? [])
  })
})

describe("replicas", () => {
  const resources = new AsyncDisposableStack()
  let cluster: KubeCluster

  beforeAll(async () => {
    cluster = resources.use(await startKubeCluster())
    await cluster.apply(namespace("shop"), namespace("istio-system"))
    await cluster.apply(service("web", port), slice("web", 1, port, ["198.51.100.11", "198.51.100.12"]))
  })
  afterAll(() => resources.disposeAsync())

  const holder = (): Promise<string> =>
    cluster.kubectl([
      "get",
      "lease",
      "istiod-lite",
      "-n",
      "istio-system",
      "-o",
      "jsonpath={.spec.holderIdentity}"
    ])

  it("a rolling restart under change loses no endpoint; the lease is handed on at once", async () => {
    const hold = new AsyncDisposableStack()
    let [a, b] = [
      hold.use(await startReplica(cluster, "replica-a1")),
      hold.use(await startReplica(cluster, "replica-b1"))
    ]
    assert.strictEqual(await holder(), "replica-a1")
    // Twenty clients that connect elsewhere when their stream ends, as Envoys behind a Service do.
    const held = new Set<string>()
    const emptied: Array<string> = []
    let targets = [a.xdsPort, b.xdsPort]
    const stop = new AbortController()
    const one = async (index: number): Promise<void> => {
      for (let turn = index; !stop.signal.aborted; turn++) {
        await using client = connectMachine({
          port: targets[turn % 2] ?? 0,
          address: `192.0.2.${100 + index}`
        })
        client.ask(web)
        while (!stop.signal.aborted && client.end() === undefined) {
          const now = client.endpoints(web)
          if (now !== undefined && now.length < 2) emptied.push(`client ${index}: ${now.join()}`)
          if (now !== undefined) held.add(now.join())
          await new Promise((done) => setTimeout(done, 20))
        }
        await new Promise((done) => setTimeout(done, 50))
      }
    }
    const clients = Array.from({ length: 20 }, (_, index) => one(index))
    const began = performance.now()
    assert.strictEqual(await a.terminate(), 0)
    const next = await eventually("the other one leads", holder, (name) => name === "replica-b1")
    console.info(`${next} leads ${(performance.now() - began).toFixed(0)} ms after TERM to the leader`)
    a = hold.use(await startReplica(cluster, "replica-a2"))
    targets = [a.xdsPort, b.xdsPort]
    await cluster.apply(slice("web", 1, port, ["198.51.100.11", "198.51.100.13"]))
    assert.strictEqual(await b.terminate(), 0)
    b = hold.use(await startReplica(cluster, "replica-b2"))
    targets = [a.xdsPort, b.xdsPort]
    await eventually("a replica of the new generation leads", holder, (name) => /-[ab]2$/.test(name))
    stop.abort()
    await Promise.all(clients)
    await hold.disposeAsync()
    assert.deepStrictEqual(emptied, [])
    assert.isAtLeast(held.size, 2)
  })

  it("a leader that is killed is followed within its lease", async () => {
    const a = await startReplica(cluster, "replica-c1")
    await using b = await startReplica(cluster, "replica-d1")
    await eventually("the first one leads", holder, (name) => name === "replica-c1", 30_000)
    const began = performance.now()
    await a.kill()
    await eventually("the other one leads", holder, (name) => name === b.name, 40_000)
    console.info(`a killed leader was followed after ${((performance.now() - began) / 1000).toFixed(1)} s`)
  })
})
