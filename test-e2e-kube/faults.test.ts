import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { type KubeCluster, startKubeCluster } from "../tools/kube-cluster/kube-cluster.ts"
import { type FaultyNetwork, startFaultyNetwork } from "./support/faulty-network.ts"
import { connectMachine, type Machine } from "./support/machine.ts"
import { namespace, service, serviceAccount, serviceEntry, slice, workloadGroup } from "./support/objects.ts"
import { manyPods, podSlices } from "./support/many-pods.ts"
import { rendered } from "./support/rendered.ts"
import { type Replica, startReplicaAt } from "./support/replicas.ts"

const web = "outbound|80||web.shop.svc.cluster.local"
const big = "outbound|80||big.shop.svc.cluster.local"
const billing = "outbound|80||billing.shop.internal"
const port = 8080
const at = (...hosts: ReadonlyArray<number>): ReadonlyArray<string> =>
  hosts.map((host) => `198.51.100.${host}:${port}`)
const wait = (seconds: number): Promise<void> => new Promise((done) => setTimeout(done, seconds * 1000))

// One story: each test goes on where the one before stopped.
describe("an API server that fails, behind a network that fails", () => {
  const resources = new AsyncDisposableStack()
  let cluster: KubeCluster
  let network: FaultyNetwork
  let replica: Replica
  let client: Machine

  beforeAll(async () => {
    cluster = resources.use(await startKubeCluster())
    await cluster.apply(namespace("shop"), namespace("istio-system"))
    await cluster.apply(service("web", port), slice("web", 1, port, ["198.51.100.11", "198.51.100.12"]))
    network = resources.use(await startFaultyNetwork(cluster))
    replica = resources.use(await startReplicaAt(network.kubeconfig, "replica-a"))
    client = resources.use(connectMachine({ port: replica.xdsPort, address: "192.0.2.99" }))
    client.ask(web, big, billing)
    await client.until(web, at(11, 12))
  })
  afterAll(() => resources.disposeAsync())

  const settled = async (): Promise<void> => {
    const expected = await rendered(cluster)
    for (const name of [web, big, billing]) await client.until(name, expected[name] ?? [])
    assert.isFalse(client.wasEmptied(web), "web was told without endpoints")
  }
  /** Writes web's endpoints and says how long the client took to learn of it. */
  const change = async (
    what: string,
    hosts: ReadonlyArray<number>,
    others: ReadonlyArray<number> = []
  ): Promise<void> => {
    await cluster.apply(
      slice(
        "web",
        1,
        port,
        hosts.map((host) => `198.51.100.${host}`)
      )
    )
    const milliseconds = await client.until(web, at(...hosts, ...others))
    console.info(`${what}: converged ${milliseconds.toFixed(0)} ms after the change`)
  }

  it("connections that are reset", async () => {
    network.reset()
    await change("reset", [11, 13])
    await settled()
  })

  it("a network that refuses for a while", async () => {
    network.refuse()
    await wait(5)
    await cluster.apply(slice("web", 1, port, ["198.51.100.14"]))
    assert.deepStrictEqual(client.endpoints(web), at(11, 13))
    network.heal()
    console.info(`refused: converged ${(await client.until(web, at(14))).toFixed(0)} ms after it healed`)
    await settled()
  })

  it("history that was compacted while watches were down (410): deletions are noticed, once", async () => {
    await cluster.apply(slice("web", 2, port, ["198.51.100.21"]))
    await client.until(web, at(14, 21))
    network.refuse()
    await cluster.kubectl(["delete", "endpointslice", "web-2", "-n", "shop"])
    await cluster.apply(slice("web", 3, port, ["198.51.100.31"]))
    await cluster.compact()
    // Its watch cache remembers: a new one does not.
    await cluster.killApiServer()
    await cluster.startApiServer()
    network.heal()
    console.info(`410: converged ${(await client.until(web, at(14, 31))).toFixed(0)} ms after it healed`)
    await settled()
  })

  it("an API server that is away for a minute; machines connect meanwhile", async () => {
    await cluster.apply(
      serviceEntry("billing.shop.internal", "billing"),
      workloadGroup("billing", port),
      serviceAccount("billing-vm")
    )
    const token = await cluster.token("shop", "billing-vm", "istio-ca")
    const options = { port: replica.xdsPort, group: "billing", token }
    await using early = connectMachine({ ...options, address: "192.0.2.101" })
    early.ask(web, billing)
    await client.until(billing, [`192.0.2.101:${port}`])
    await cluster.killApiServer()
    await wait(55)
    // Its token was reviewed a minute ago or less: what it may do is known.
    await using again = connectMachine({ ...options, address: "192.0.2.101" })
    again.ask(web)
    await again.until(web, at(14, 31))
    assert.deepStrictEqual(client.endpoints(web), at(14, 31))
    assert.match(await replica.query("clusters"), /stale/)
    await wait(5)
    await cluster.startApiServer()
    await change("a minute away", [14, 15], [31])
    await settled()
  })

  it("connections that fall silent are given up", async () => {
    const began = performance.now()
    network.silence()
    await cluster.apply(slice("web", 3, port, ["198.51.100.32"]))
    network.heal()
    await client.until(web, at(14, 15, 32), 150_000)
    console.info(
      `silent: converged ${((performance.now() - began) / 1000).toFixed(1)} s after the silence began`
    )
    await settled()
  }, 180_000)

  it("2,000 pods roll: every slice and pod anew", async () => {
    await cluster.apply(service("big", port))
    const first = manyPods("old", 2000)
    await Promise.all(first.batches.map((batch) => batch(cluster)))
    await podSlices(cluster, "big", port, first.pods)
    await client.until(
      big,
      first.pods.map(({ address }) => `${address}:${port}`),
      60_000
    )
    const next = manyPods("new", 2000)
    const began = performance.now()
    await Promise.all(next.batches.map((batch) => batch(cluster)))
    await podSlices(cluster, "big", port, next.pods)
    const written = performance.now()
    await client.until(
      big,
      next.pods.map(({ address }) => `${address}:${port}`),
      60_000
    )
    const last = performance.now() - written
    console.info(
      `2,000 pods rolled in ${((written - began) / 1000).toFixed(1)} s; converged ${last.toFixed(0)} ms after the last write`
    )
    assert.isFalse(client.wasEmptied(big))
    await settled()
  })
})
