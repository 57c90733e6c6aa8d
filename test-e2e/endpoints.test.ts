import { afterAll, assert, beforeAll, describe, inject, it } from "vitest"
import type { XdsKind } from "./support/envoy-bootstrap.ts"
import { departure } from "./support/departure.ts"
import { eventually } from "./support/eventually.ts"
import { indexedEndpoints } from "./support/indexed-endpoints.ts"
import { addresses, clusterOf, hosts, webPods, writeWebPods } from "./support/mesh.ts"
import { type Rig, startRig } from "./support/rig.ts"
import { assertShares } from "./support/shares.ts"

const clients: ReadonlyArray<{ readonly as: string; readonly nodeId: string; readonly xds: XdsKind }> = [
  { as: "an Istio proxy", nodeId: "sidecar~127.0.0.1~client.shop~shop.svc.cluster.local", xds: "GRPC" },
  { as: "a plain Envoy", nodeId: "edge-1", xds: "DELTA_GRPC" }
]

// One story per client: each test goes on where the one before stopped.
describe.each(clients)("$as over $xds", (client) => {
  const resources = new AsyncDisposableStack()
  let rig: Rig
  beforeAll(async () => {
    rig = resources.use(await startRig(inject("envoy"), client))
  })
  afterAll(() => resources.disposeAsync())

  it("reaches a Service's ready pods and its machine, by weight; not the unready and the terminating pod", async () => {
    const answers = await rig.requests.askMany(hosts.web, 100)
    assertShares(answers, { [addresses.webOne]: 1, [addresses.webTwo]: 1, [addresses.webMachine]: 3 })
  })

  it("reaches no draining pod of a service with persistent sessions", async () => {
    assertShares(await rig.requests.askMany(hosts.cart, 20), { [addresses.cart]: 1 })
  })

  it("reaches the machines of a ServiceEntry, by weight", async () => {
    const answers = await rig.requests.askMany(hosts.billing, 80)
    assertShares(answers, { [addresses.billingSmall]: 1, [addresses.billingLarge]: 3 })
  })

  it("reaches the pod and the machine that one ServiceEntry selects", async () => {
    const answers = await rig.requests.askMany(hosts.orders, 40)
    assertShares(answers, { [addresses.ordersPod]: 1, [addresses.ordersMachine]: 1 })
  })

  it.each(Object.values(hosts))(
    "knows the endpoints of %s that `istiod-lite endpoints` prints",
    async (host) => {
      assert.deepStrictEqual(
        await rig.envoy.endpoints(clusterOf(host)),
        await indexedEndpoints(rig.controlPlane, host)
      )
    }
  )

  it("stops asking a pod within a second after an edit removed it", async () => {
    const remaining = webPods.filter(({ address }) => address !== addresses.webTwo)
    const milliseconds = await departure(rig.requests, hosts.web, addresses.webTwo, () =>
      writeWebPods(rig.manifests, rig.port, remaining)
    )
    console.info(`last answer ${milliseconds.toFixed(0)} ms after the edit`)
    assert.isBelow(milliseconds, 1000)
    const answers = await rig.requests.askMany(hosts.web, 40)
    assertShares(answers, { [addresses.webOne]: 1, [addresses.webMachine]: 3 })
  })

  it("asks a pod that becomes ready", async () => {
    const pods = webPods.map((pod) => ({ ...pod, state: "ready" as const }))
    writeWebPods(rig.manifests, rig.port, pods)
    await eventually(
      "all pods answer",
      () => rig.requests.askMany(hosts.web, 21),
      (answers) => Object.keys(answers).length === 5
    )
  })

  it("keeps its endpoints when the control plane ends, which it does with exit code 0", async () => {
    assert.strictEqual(await rig.controlPlane.terminate(), 0, rig.controlPlane.output())
    const answers = await rig.requests.askMany(hosts.web, 70)
    assert.strictEqual(Object.keys(answers).length, 5)
    assert.strictEqual((await rig.envoy.endpoints(clusterOf(hosts.billing))).length, 2)
  })

  it("learns from the restarted control plane what changed meanwhile", async () => {
    writeWebPods(rig.manifests, rig.port, [{ address: addresses.webOne, state: "ready" }])
    await rig.restart()
    await eventually(
      "one pod and the machine are left",
      () => rig.requests.askMany(hosts.web, 20),
      (answers) => Object.keys(answers).toSorted().join() === `${addresses.webOne},${addresses.webMachine}`
    )
  })
})
