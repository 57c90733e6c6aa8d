import { afterAll, assert, beforeAll, describe, inject, it } from "vitest"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { startBackends } from "../test-e2e/support/backends.ts"
import { type Envoy, startEnvoy } from "../test-e2e/support/envoy.ts"
import { eventually } from "../test-e2e/support/eventually.ts"
import { freePort } from "../test-e2e/support/ports.ts"
import { requester, type Requester } from "../test-e2e/support/requests.ts"
import { type KubeCluster, startKubeCluster } from "../tools/kube-cluster/kube-cluster.ts"
import { connectMachine, type Machine } from "./support/machine.ts"
import { machine, namespace, service, serviceEntry, slice } from "./support/objects.ts"
import { rendered } from "./support/rendered.ts"
import { type Replica, startReplica } from "./support/replicas.ts"

const web = "outbound|80||web.shop.svc.cluster.local"
const billing = "outbound|80||billing.shop.internal"
const addresses = { machineOne: "127.3.0.1", machineTwo: "127.3.0.2" } as const

// One story: each test goes on where the one before stopped.
describe("an API server, two replicas, an Envoy and a gRPC client", () => {
  const resources = new AsyncDisposableStack()
  let cluster: KubeCluster
  let replica: Replica
  let other: Replica
  let client: Machine
  let envoy: Envoy
  let requests: Requester
  let port: number

  beforeAll(async () => {
    cluster = resources.use(await startKubeCluster())
    await cluster.apply(namespace("shop"), namespace("istio-system"))
    port = await freePort(Object.values(addresses))
    resources.use(await startBackends(Object.values(addresses), port))
    replica = resources.use(await startReplica(cluster, "replica-a"))
    other = resources.use(await startReplica(cluster, "replica-b"))
    client = resources.use(connectMachine({ port: other.xdsPort, address: "192.0.2.99" }))
    client.ask(web, billing)
    const folder = mkdtempSync(join(tmpdir(), "istiod-lite-e2e-kube-"))
    resources.defer(() => rmSync(folder, { recursive: true }))
    const [adminPort, listenPort] = [await freePort(), await freePort()]
    envoy = resources.use(
      await startEnvoy(inject("envoy"), folder, {
        nodeId: "sidecar~127.0.0.1~client.shop~shop.svc.cluster.local",
        xds: "GRPC",
        xdsPort: replica.xdsPort,
        adminPort,
        listenPort,
        routes: { "web.shop": web, "billing.shop.internal": billing }
      })
    )
    requests = resources.use(requester(listenPort))
  })
  afterAll(() => resources.disposeAsync())

  /** Both clients hold what a fresh process renders from the API server. */
  const settled = async (): Promise<void> => {
    const expected = await rendered(cluster)
    for (const name of [web, billing]) {
      const endpoints = expected[name] ?? []
      await client.until(name, endpoints)
      await eventually(
        `Envoy has ${endpoints.join()} for ${name}`,
        async () =>
          (await envoy.endpoints(name))
            .map((one) => `${one.address}:${one.port}`)
            .toSorted()
            .join(),
        (now) => now === endpoints.join()
      )
    }
  }

  it("a Service selects a machine, which Envoy reaches", async () => {
    await cluster.apply(service("web", port), machine("web-1", "web", addresses.machineOne, port))
    await client.until(web, [`${addresses.machineOne}:${port}`])
    await eventually(
      "Envoy reaches the machine",
      () => requests.ask("web.shop"),
      (who) => who === addresses.machineOne
    )
    await settled()
  })

  it("slices join the machine, and leave", async () => {
    await cluster.apply(slice("web", 1, port, ["198.51.100.11", "198.51.100.12"]))
    const here = `${addresses.machineOne}:${port}`
    const milliseconds = await client.until(web, [here, `198.51.100.11:${port}`, `198.51.100.12:${port}`])
    console.info(`two endpoints ${milliseconds.toFixed(0)} ms after kubectl ended`)
    await settled()
    await cluster.kubectl(["delete", "endpointslice", "web-1", "-n", "shop"])
    await client.until(web, [here])
    await settled()
  })

  it("a ServiceEntry selects machines, by traffic", async () => {
    await cluster.apply(
      serviceEntry("billing.shop.internal", "billing"),
      machine("billing-1", "billing", addresses.machineOne, port),
      machine("billing-2", "billing", addresses.machineTwo, port)
    )
    await client.until(
      billing,
      Object.values(addresses).map((address) => `${address}:${port}`)
    )
    await settled()
    const answers = await requests.askMany("billing.shop.internal", 20)
    assert.deepStrictEqual(Object.keys(answers).toSorted(), Object.values(addresses))
  })

  it("vm drain takes a machine out of traffic, undrain back in; its entry stays", async () => {
    const one = `${addresses.machineOne}:${port}`
    const two = `${addresses.machineTwo}:${port}`
    const vm = (command: string) =>
      replica.run("vm", command, "shop/billing-2", "--kubeconfig", cluster.kubeconfig)
    assert.match(await vm("drain"), /shop\/billing-2 is draining/)
    await client.until(billing, [one])
    await settled()
    assert.match(
      await cluster.kubectl(["get", "workloadentry", "billing-2", "-n", "shop", "-o", "name"]),
      /billing-2/
    )
    assert.match(await vm("undrain"), /takes traffic again/)
    await client.until(billing, [one, two])
  })

  it("automatic addresses are written to the status, by the leader", async () => {
    const status = await eventually(
      "the ServiceEntry has addresses",
      () =>
        cluster.kubectl([
          "get",
          "serviceentry",
          "billing",
          "-n",
          "shop",
          "-o",
          "jsonpath={.status.addresses[*].value}"
        ]),
      (text) => text.includes("240.240.")
    )
    assert.match(status, /240\.240\.\d+\.\d+/)
    const services = await other.query("services", "-o", "json")
    assert.include(services, status.split(" ")[0] ?? "nothing")
  })

  it("clusters tells how the API server is followed", async () => {
    const clusters = JSON.parse(await replica.query("clusters", "-o", "json")) as ReadonlyArray<object>
    assert.deepInclude(clusters[0], { cluster: "Kubernetes", config: true, synced: true, state: "synced" })
  })
})
