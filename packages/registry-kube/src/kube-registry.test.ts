import { Graph, untracked } from "@istiod-lite/collections"
import { assert, describe, it } from "@effect/vitest"
import {
  defaultMeshConfig,
  Label,
  meshKey,
  type Proxy,
  type WorkloadInstance,
  workloadKey,
  makeWorkloads
} from "@istiod-lite/model"
import {
  endpointSlice,
  kubePort,
  kubeService,
  namespace,
  node,
  objectStore,
  pod,
  podRef,
  proxy,
  serviceExport,
  serviceImport,
  sliceEndpoint,
  workload
} from "@istiod-lite/model/testing"
import { makeKubeRegistry } from "./kube-registry.ts"

/** A registry with one service, one pod that it selects, and the slice between them. */
const makeCluster = ({ isConfigCluster = true } = {}) => {
  const graph = new Graph()
  const store = objectStore(graph)
  const mesh = graph.source<typeof defaultMeshConfig>("mesh")
  mesh.set(meshKey, defaultMeshConfig)
  const shared = makeWorkloads(graph)
  const machines = graph.source<WorkloadInstance>("machines")
  shared.contribute(machines)
  const cluster = store.clusters.get("Kubernetes")!
  const registry = makeKubeRegistry(graph, cluster, { isConfigCluster, mesh, workloads: shared })
  const put = {
    service: (fields: Parameters<typeof kubeService>[0] = {}) =>
      store.put("Kubernetes", {
        kind: "Service",
        object: kubeService({ selector: { app: "reviews" }, ...fields })
      }),
    slice: (fields: Parameters<typeof endpointSlice>[0] = {}) =>
      store.put("Kubernetes", {
        kind: "EndpointSlice",
        object: endpointSlice({ endpoints: [sliceEndpoint({ targetRef: podRef() })], ...fields })
      }),
    pod: (fields: Parameters<typeof pod>[0] = {}) =>
      store.put("Kubernetes", { kind: "Pod", object: pod({ node: "n1", ...fields }) }),
    node: (labels: Record<string, string>) =>
      store.put("Kubernetes", { kind: "Node", object: node("n1", labels) }),
    namespace: (name: string, meta: Parameters<typeof namespace>[1]) =>
      store.put("Kubernetes", { kind: "Namespace", object: namespace(name, meta) }),
    machine: (fields: Parameters<typeof workload>[0] = {}) => {
      const machine = workload({ facts: { labels: { app: "reviews" } }, ...fields })
      machines.set(workloadKey(machine), machine)
    }
  }
  put.service()
  put.pod()
  put.slice()
  const endpointsNow = () => [...registry.endpoints.values()].flatMap((group) => group.endpoints)
  const targetsNow = (fields: Partial<Proxy> = {}) =>
    registry
      .targets(untracked, proxy({ name: "reviews-1", ips: ["10.20.0.1"], ...fields }))
      .map(({ port, service, targetPort }) => `${service.name} ${port.name} ${targetPort}`)
  return { graph, store, mesh, machines, registry, put, endpointsNow, targetsNow }
}

describe("makeKubeRegistry", () => {
  it("takes a pod's place from its node, also when that changes later (S-17, D-5)", () => {
    const { endpointsNow, put } = makeCluster()
    assert.strictEqual(endpointsNow()[0]?.locality, "")
    put.node({ [Label.region]: "eu", [Label.zone]: "eu-1" })
    assert.strictEqual(endpointsNow()[0]?.locality, "eu/eu-1/")
    put.node({ [Label.region]: "us" })
    assert.strictEqual(endpointsNow()[0]?.locality, "us//")
  })

  it("takes the network from the system namespace (S-17)", () => {
    const { endpointsNow, put } = makeCluster()
    put.namespace("istio-system", { labels: { [Label.network]: "n1" } })
    assert.strictEqual(endpointsNow()[0]?.network, "n1")
  })

  it("takes the traffic distribution from the service's namespace (S-12)", () => {
    const { put, registry } = makeCluster()
    put.namespace("shop", { annotations: { "networking.istio.io/traffic-distribution": "PreferClose" } })
    assert.strictEqual([...registry.services.values()][0]?.trafficDistribution, "PreferSameZone")
  })

  it("knows only what is in namespaces that the discovery selectors select, each change being one commit", () => {
    const { endpointsNow, graph, mesh, put, registry } = makeCluster()
    const sizes: Array<ReadonlyArray<number>> = []
    graph.onCommit(() =>
      sizes.push([
        registry.services.size,
        endpointsNow().length,
        registry.workloads.size,
        registry.proxies?.size ?? 0
      ])
    )
    const discoverySelectors = [{ matchLabels: { mesh: "on" }, matchExpressions: [] }]
    mesh.set(meshKey, { ...defaultMeshConfig, discoverySelectors })
    put.namespace("shop", { labels: { mesh: "on" } })
    put.namespace("shop", { labels: { mesh: "off" } })
    mesh.set(meshKey, defaultMeshConfig)
    assert.deepEqual(sizes, [
      [0, 0, 0, 0],
      [1, 1, 1, 1],
      [0, 0, 0, 0],
      [1, 1, 1, 1]
    ])
  })

  it("keeps endpoints to their cluster unless their service is exported, where the mesh goes by that", () => {
    const { endpointsNow, mesh, store } = makeCluster()
    const exported = { kind: "ServiceExport", object: serviceExport() } as const
    const discoverability = () => endpointsNow()[0]?.discoverability
    assert.strictEqual(discoverability(), "AlwaysDiscoverable")
    mesh.set(meshKey, { ...defaultMeshConfig, exportedServicesOnly: true })
    assert.strictEqual(discoverability(), "DiscoverableFromSameCluster")
    store.put("Kubernetes", exported)
    assert.strictEqual(discoverability(), "AlwaysDiscoverable")
    store.delete("Kubernetes", { kind: "ServiceExport", namespace: "shop", name: "reviews" })
    assert.strictEqual(discoverability(), "DiscoverableFromSameCluster")
  })

  it("takes an endpoint out when its pod goes, while its slice still lists it (D-13)", () => {
    const { endpointsNow, store } = makeCluster()
    assert.lengthOf(endpointsNow(), 1)
    store.delete("Kubernetes", { kind: "Pod", namespace: "shop", name: "reviews-1" })
    assert.lengthOf(endpointsNow(), 0)
  })

  it("gives a service that goes no shard (S-13)", () => {
    const { registry, store } = makeCluster()
    store.delete("Kubernetes", { kind: "Service", namespace: "shop", name: "reviews" })
    assert.strictEqual(registry.endpoints.size, 0)
  })

  it("stops a pod's heartbeat before it reaches an endpoint (D-15)", () => {
    const { graph, put } = makeCluster()
    const before = graph.stats.recomputed
    put.pod({ phase: "Running", meta: { resourceVersion: "2" } })
    put.pod({ ports: [], hostNetwork: true })
    assert.isAtMost(graph.stats.recomputed - before, 1)
  })

  it.each([
    ["machines that it selects join the endpoints", true, {}, ["10.20.0.1", "192.0.2.1"]],
    ["not in another cluster", false, {}, ["10.20.0.1"]],
    ["not of another namespace", true, { namespace: "bank" }, ["10.20.0.1"]],
    ["not pods of other clusters", true, { kind: "Pod" }, ["10.20.0.1"]]
  ] as const)("of a service with selector, %s (S-21)", (_, isConfigCluster, fields, expected) => {
    const { endpointsNow, put } = makeCluster({ isConfigCluster })
    put.machine(fields)
    const addresses = endpointsNow().map((found) => found.addresses[0] ?? "")
    assert.deepEqual(new Set(addresses), new Set<string>(expected))
  })

  it("offers pods while they are ready and not being deleted (S-18)", () => {
    const { put, registry } = makeCluster()
    assert.strictEqual(registry.workloads.size, 1)
    put.pod({ deleting: true })
    assert.strictEqual(registry.workloads.size, 0)
    put.pod({ ready: false })
    assert.strictEqual(registry.workloads.size, 0)
    put.pod()
    assert.strictEqual(registry.workloads.size, 1)
  })
})

describe("makeKubeRegistry targets (S-20)", () => {
  it("are the machine's at the proxy's first IP, before a pod's", () => {
    const { put, targetsNow } = makeCluster()
    put.machine({ facts: { addresses: ["10.20.0.1"], labels: { app: "reviews" } }, ports: { http: 7070 } })
    assert.deepEqual(targetsNow(), ["reviews http 7070"])
  })

  it("are the pod's, by the services that select it", () => {
    assert.deepEqual(makeCluster().targetsNow(), ["reviews http 8080"])
  })

  it("are the slice's only if no service selects the pod", () => {
    const { put, targetsNow } = makeCluster()
    put.service({ selector: {}, ports: [kubePort({ targetPort: 1 })] })
    assert.deepEqual(targetsNow(), ["reviews http 8080"])
  })

  it("are none of a pod whose service's named port is absent: the slice is not asked", () => {
    const { put, targetsNow } = makeCluster()
    put.service({ ports: [kubePort({ targetPort: "web" })] })
    assert.deepEqual(targetsNow(), [])
  })

  it("are those of the proxy's own labels while its pod is not there", () => {
    const { targetsNow } = makeCluster()
    assert.deepEqual(targetsNow({ name: "reviews-2", labels: { app: "reviews" } }), ["reviews http 8080"])
    assert.deepEqual(targetsNow({ name: "reviews-2" }), [])
  })

  it("are none of a proxy without address", () => assert.deepEqual(makeCluster().targetsNow({ ips: [] }), []))
})

describe("makeKubeRegistry hosts of the cluster set", () => {
  const host = "reviews.shop.svc.clusterset.local"
  const own = "reviews.shop.svc.cluster.local"
  const on = { ...defaultMeshConfig, exportedServicesOnly: true, clusterSetHosts: true }
  const makeImporting = () => {
    const cluster = makeCluster()
    cluster.mesh.set(meshKey, on)
    const { registry, store } = cluster
    return {
      ...cluster,
      import: (ips: ReadonlyArray<string> = ["10.112.0.1"]) =>
        store.put("Kubernetes", { kind: "ServiceImport", object: serviceImport({ ips }) }),
      export: () => store.put("Kubernetes", { kind: "ServiceExport", object: serviceExport() }),
      servicesNow: () =>
        [...registry.services.values()].map(({ clusterVips, defaultAddress, hostname }) => [
          hostname,
          defaultAddress,
          clusterVips
        ]),
      groupsNow: () =>
        Object.fromEntries(
          [...registry.endpoints.values()].map(({ endpoints, hostname }) => [
            hostname,
            endpoints.map(({ addresses, discoverability }) => `${addresses[0]} ${discoverability}`)
          ])
        )
    }
  }

  it("are those of imported services, at the addresses of the import, as they change", () => {
    const { import: imports, registry, servicesNow, store } = makeImporting()
    const ownService = [own, "10.96.0.1", { Kubernetes: ["10.96.0.1"] }]
    assert.deepEqual(servicesNow(), [ownService])
    imports()
    assert.deepEqual(servicesNow(), [ownService, [host, "10.112.0.1", { Kubernetes: ["10.112.0.1"] }]])
    imports(["10.112.0.2", "fd00::2"])
    assert.deepEqual(servicesNow()[1], [host, "10.112.0.2", { Kubernetes: ["10.112.0.2", "fd00::2"] }])
    imports([])
    assert.deepEqual(servicesNow(), [ownService])
    imports()
    store.delete("Kubernetes", { kind: "Service", namespace: "shop", name: "reviews" })
    assert.strictEqual(registry.services.size, 0)
    assert.strictEqual(registry.endpoints.size, 0)
  })

  it.each([
    ["exportedServicesOnly", { exportedServicesOnly: false }],
    ["clusterSetHosts", { clusterSetHosts: false }]
  ])("are none without %s", (_, settings) => {
    const { import: imports, mesh, registry } = makeImporting()
    imports()
    mesh.set(meshKey, { ...on, ...settings })
    assert.strictEqual(registry.services.size, 1)
    assert.strictEqual(registry.endpoints.size, 1)
  })

  it("are none of namespaces that do not count", () => {
    const { import: imports, mesh, put, servicesNow } = makeImporting()
    imports()
    const discoverySelectors = [{ matchLabels: { mesh: "on" }, matchExpressions: [] }]
    mesh.set(meshKey, { ...on, discoverySelectors })
    assert.deepEqual(servicesNow(), [])
    put.namespace("shop", { labels: { mesh: "on" } })
    assert.lengthOf(servicesNow(), 2)
  })

  it.each([
    ["not exported", {}, false, "DiscoverableFromSameCluster", "DiscoverableFromSameCluster"],
    ["exported", {}, true, "AlwaysDiscoverable", "AlwaysDiscoverable"],
    [
      "exported, own hosts being for their cluster",
      { ownClusterHosts: true },
      true,
      "DiscoverableFromSameCluster",
      "AlwaysDiscoverable"
    ]
  ])("have the endpoints of the service: %s", (_, settings, isExported, ofOwn, ofImport) => {
    const cluster = makeImporting()
    cluster.mesh.set(meshKey, { ...on, ...settings })
    cluster.import()
    if (isExported) cluster.export()
    assert.deepEqual(cluster.groupsNow(), {
      [own]: [`10.20.0.1 ${ofOwn}`],
      [host]: [`10.20.0.1 ${ofImport}`]
    })
  })

  it("have the machines that the service selects", () => {
    const { groupsNow, import: imports, put, store } = makeImporting()
    imports()
    store.delete("Kubernetes", { kind: "EndpointSlice", namespace: "shop", name: "reviews-a" })
    put.machine()
    assert.deepEqual(groupsNow(), { [own]: ["192.0.2.1 "], [host]: ["192.0.2.1 "] })
  })

  it("are targets of a pod's proxy, not of a machine's", () => {
    const { import: imports, put, registry } = makeImporting()
    imports()
    const targetHosts = () =>
      registry
        .targets(untracked, proxy({ name: "reviews-1", ips: ["10.20.0.1"] }))
        .map(({ service, targetPort }) => `${service.hostname}:${targetPort}`)
    assert.deepEqual(targetHosts(), [`${own}:8080`, `${host}:8080`])
    put.machine({ facts: { addresses: ["10.20.0.1"], labels: { app: "reviews" } } })
    assert.deepEqual(targetHosts(), [`${own}:8080`])
  })
})

describe("makeKubeRegistry workloadLabels (S-51)", () => {
  it("are the pod's, with where it runs, and the node as the proxy says it", () => {
    const { put, registry } = makeCluster()
    put.node({ [Label.region]: "eu" })
    const labels = registry.workloadLabels(untracked, proxy({ name: "reviews-1", node: "n7" }))
    assert.deepEqual(labels, {
      app: "reviews",
      [Label.cluster]: "Kubernetes",
      [Label.hostname]: "n7",
      [Label.region]: "eu"
    })
  })
})
