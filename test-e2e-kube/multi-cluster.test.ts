import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { eventually } from "../test-e2e/support/eventually.ts"
import { type KubeCluster, startKubeCluster } from "../tools/kube-cluster/kube-cluster.ts"
import { portable, secret } from "./support/cluster-secret.ts"
import { connectMachine, type Machine } from "./support/machine.ts"
import { multiClusterCrds, serviceExport, serviceImport } from "./support/multi-cluster-objects.ts"
import { namespace, service, slice } from "./support/objects.ts"
import { rendered } from "./support/rendered.ts"
import { type Replica, startReplica } from "./support/replicas.ts"

const port = 8080
const own = (name: string): string => `outbound|80||${name}.shop.svc.cluster.local`
const ofSet = (name: string): string => `outbound|80||${name}.shop.svc.clusterset.local`

/** Services `web` and `bank` in both of two clusters, at different addresses. */
const startTwoClusters = async (
  resources: AsyncDisposableStack
): Promise<readonly [home: KubeCluster, remote: KubeCluster]> => {
  const home = resources.use(await startKubeCluster())
  const remote = resources.use(await startKubeCluster({ crds: false }))
  await home.apply(namespace("shop"), namespace("istio-system"))
  await remote.apply(namespace("shop"))
  for (const [cluster, network] of [
    [home, "198.51.100"],
    [remote, "203.0.113"]
  ] as const) {
    await cluster.apply(
      ...["web", "bank"].flatMap((name, i) => [
        service(name, port),
        slice(name, 1, port, [`${network}.${i + 11}`])
      ])
    )
  }
  await home.apply(secret("east", { east: portable(remote) }))
  return [home, remote]
}

const established = async (cluster: KubeCluster): Promise<void> => {
  await cluster.apply(...multiClusterCrds)
  await cluster.kubectl(["wait", "--for=condition=Established", "--timeout=30s", "crd", "--all"])
}

/** `namespace/name` of all ServiceExports, in the order of the text. */
const exported = async (cluster: KubeCluster): Promise<string> => {
  const name = "jsonpath={range .items[*]}{.metadata.namespace}/{.metadata.name} {end}"
  const text = await cluster.kubectl(["get", "serviceexports", "-A", "-o", name])
  return text.trim()
}

const untilExported = (what: string, cluster: KubeCluster, wanted: string): Promise<string> =>
  eventually(
    what,
    () => exported(cluster),
    (text) => text === wanted,
    60_000
  )

// One story: each test goes on where the one before stopped.
describe("hosts of the cluster set, two API servers", () => {
  const resources = new AsyncDisposableStack()
  const switches = ["--mcs-service-discovery", "--mcs-host", "--mcs-cluster-local"]
  let home: KubeCluster
  let remote: KubeCluster
  let replica: Replica
  let client: Machine

  beforeAll(async () => {
    ;[home, remote] = await startTwoClusters(resources)
    await established(home)
    // The other cluster has no such kinds yet.
    await home.apply(
      serviceExport("web"),
      serviceImport("web", "10.112.0.1"),
      serviceImport("bank", "10.112.0.2")
    )
    replica = resources.use(await startReplica(home, "replica-a", ...switches))
    client = resources.use(connectMachine({ port: replica.xdsPort, address: "192.0.2.99" }))
    client.ask(own("web"), ofSet("web"), own("bank"), ofSet("bank"))
  })
  afterAll(() => resources.disposeAsync())

  it("a cluster without the kinds holds nothing up, and exports nothing", async () => {
    await client.until(ofSet("web"), [`198.51.100.11:${port}`])
    await client.until(own("web"), [`198.51.100.11:${port}`])
  })

  it("endpoints of both clusters are under the host of an exported service, of one under all others", async () => {
    await established(remote)
    await remote.apply(
      serviceExport("web"),
      serviceImport("web", "10.112.1.1"),
      serviceImport("bank", "10.112.1.2")
    )
    await client.until(ofSet("web"), [`198.51.100.11:${port}`, `203.0.113.11:${port}`], 60_000)
    await client.until(own("web"), [`198.51.100.11:${port}`])
    await client.until(ofSet("bank"), [`198.51.100.12:${port}`])
    await client.until(own("bank"), [`198.51.100.12:${port}`])
    assert.match(
      await replica.query("services"),
      /^web\.shop\.svc\.clusterset\.local +shop +Kubernetes +80 HTTP +10\.112\.0\.1/m
    )
    const fresh = await rendered(home, ...switches)
    for (const name of [own("web"), ofSet("web"), own("bank"), ofSet("bank")])
      assert.deepStrictEqual(client.endpoints(name), fresh[name], name)
  })

  it("what is exported no more goes home", async () => {
    await remote.kubectl(["delete", "serviceexport", "web", "-n", "shop"])
    await client.until(ofSet("web"), [`198.51.100.11:${port}`])
    assert.isFalse(client.wasEmptied(ofSet("web")))
  })

  it("what is imported nowhere has no such host", async () => {
    await home.kubectl(["delete", "serviceimport", "bank", "-n", "shop"])
    await remote.kubectl(["delete", "serviceimport", "bank", "-n", "shop"])
    await eventually(
      "the host is gone",
      () => replica.query("services"),
      (text) => !text.includes("bank.shop.svc.clusterset.local")
    )
  })
})

describe("exports that are made, two API servers", () => {
  const resources = new AsyncDisposableStack()
  let home: KubeCluster
  let remote: KubeCluster

  beforeAll(async () => {
    ;[home, remote] = await startTwoClusters(resources)
    await established(home)
    await home.apply(namespace("kube-system"), {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "dns", namespace: "kube-system" },
      spec: { ports: [{ name: "dns", port: 53, protocol: "UDP" }] }
    })
  })
  afterAll(() => resources.disposeAsync())

  const ownerOf = (path: string): Promise<string> =>
    home.kubectl([
      "get",
      "serviceexport",
      "web",
      "-n",
      "shop",
      "-o",
      `jsonpath={.metadata.ownerReferences[0].${path}}`
    ])
  it("services of all clusters are exported, but those that are for their cluster", async () => {
    await using leader = await startReplica(home, "replica-a", "--mcs-auto-export")
    await untilExported("home exports", home, "shop/bank shop/web")
    assert.strictEqual(
      await ownerOf("uid"),
      await home.kubectl(["get", "service", "web", "-n", "shop", "-o", "jsonpath={.metadata.uid}"])
    )
    assert.strictEqual(await ownerOf("kind"), "Service")
    await eventually(
      "what cannot be written is told",
      () => Promise.resolve(leader.output()),
      (text) => text.includes("What is not exported of cluster east stays so until it can be written")
    )
    await established(remote)
    await untilExported("the other cluster exports", remote, "shop/bank shop/web")
  })

  it("the next leader goes on", async () => {
    await using first = await startReplica(home, "replica-b", "--mcs-auto-export")
    await using _second = await startReplica(home, "replica-c", "--mcs-auto-export")
    assert.strictEqual(await first.terminate(), 0)
    await remote.apply(service("search", port))
    await untilExported("the new service is exported", remote, "shop/bank shop/search shop/web")
  })
})
