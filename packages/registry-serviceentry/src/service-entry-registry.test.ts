import { Graph, untracked } from "@istiod-lite/collections"
import { assert, describe, it } from "@effect/vitest"
import {
  Annotation,
  defaultMeshConfig,
  type MeshConfigValue,
  meshKey,
  noLabels,
  type ServiceEntry,
  type WorkloadInstance,
  workloadKey,
  makeWorkloads
} from "@istiod-lite/model"
import {
  objectStore,
  proxy,
  serviceEntry,
  serviceEntryPort,
  workload,
  workloadEntry,
  workloadSpec
} from "@istiod-lite/model/testing"
import { makeServiceEntryRegistry } from "./service-entry-registry.ts"

const app = { app: "erp" }

/** Two inline endpoints, of which DNS round robin takes the first. */
const at = (address: string) => [workloadSpec({ address }), workloadSpec({ address: "never" })]

/** A registry without objects; `pods` are what Kubernetes registries share. */
const make = (settings: Partial<MeshConfigValue> = {}, ownStatuses = true) => {
  const graph = new Graph()
  const store = objectStore(graph)
  const mesh = graph.source<MeshConfigValue>("mesh")
  mesh.set(meshKey, { ...defaultMeshConfig, ...settings })
  const shared = makeWorkloads(graph)
  const pods = graph.source<WorkloadInstance>("pods")
  shared.contribute(pods)
  const statuses = graph.source<ServiceEntry["statusAddresses"]>("statuses")
  const registry = makeServiceEntryRegistry(
    graph,
    {
      cluster: "Kubernetes",
      config: store.config,
      namespaceAnnotations: () => noLabels,
      reads: [],
      synced: store.synced
    },
    { mesh, workloads: shared, statuses: ownStatuses ? undefined : statuses }
  )
  shared.contribute(registry.workloads)
  const put = {
    entry: (fields: Parameters<typeof serviceEntry>[0]) =>
      store.put("Kubernetes", { kind: "ServiceEntry", object: serviceEntry(fields) }),
    machine: (fields: Parameters<typeof workloadEntry>[0]) =>
      store.put("Kubernetes", { kind: "WorkloadEntry", object: workloadEntry(fields) }),
    pod: (fields: Parameters<typeof workload>[0]) => {
      const pod = workload({ kind: "Pod", name: "erp-1", ...fields })
      pods.set(workloadKey(pod), pod)
    }
  }
  const addresses = (): ReadonlyArray<string> =>
    [...registry.endpoints.values()]
      .flatMap(({ endpoints }) => endpoints)
      .map(({ addresses, port }) => `${addresses[0] ?? ""}:${port}`)
  const automatic = (host = "entry.example"): ReadonlyArray<string> =>
    [...registry.services.values()]
      .filter(({ hostname }) => hostname === host)
      .map(({ autoAllocatedIpv4 }) => autoAllocatedIpv4)
  return { mesh, statuses, store, registry, put, addresses, automatic }
}

describe("makeServiceEntryRegistry endpoints", () => {
  it.each<[string, Partial<Omit<ServiceEntry, "meta">>, ReadonlyArray<string>]>([
    [
      "the inline ones",
      { resolution: "STATIC", endpoints: [workloadSpec(), workloadSpec({ address: "a.example" })] },
      ["192.0.2.1:80", "a.example:80"]
    ],
    ["the host itself, by DNS", { resolution: "DNS" }, ["entry.example:80"]],
    ["the host itself, by DNS round robin", { resolution: "DNS_ROUND_ROBIN" }, ["entry.example:80"]],
    ["none, by dynamic DNS", { resolution: "DYNAMIC_DNS" }, []],
    ["none, static without endpoints", { resolution: "STATIC" }, []],
    ["none, without resolution", { resolution: "NONE" }, []],
    [
      "one of each address, not one of each address of the entry (D-9)",
      { addresses: ["198.51.100.1", "198.51.100.2"] },
      ["entry.example:80"]
    ]
  ])("without selector are %s (S-32)", (_, fields, expected) => {
    const { addresses, put } = make()
    put.entry(fields)
    assert.deepEqual(addresses(), expected)
  })

  it.each<[string, Partial<Omit<ServiceEntry, "meta">>, ReadonlyArray<string>]>([
    [
      "machines and pods, sorted by kind, namespace, name, cluster",
      { resolution: "STATIC" },
      ["10.20.0.1:80", "10.20.0.2:80", "192.0.2.1:80"]
    ],
    [
      "hostnames too, by DNS",
      { resolution: "DNS" },
      ["10.20.0.1:80", "10.20.0.2:80", "192.0.2.1:80", "erp.example:80"]
    ],
    ["nothing, by an empty selector (D-16)", { resolution: "STATIC", workloadSelector: {} }, []],
    [
      "nothing, by a selector that nobody has",
      { resolution: "STATIC", workloadSelector: { app: "cart" } },
      []
    ]
  ])("with selector are %s (S-32)", (_, fields, expected) => {
    const { addresses, put } = make()
    put.machine({ meta: { name: "z-hostname" }, spec: { address: "erp.example", labels: app } })
    put.machine({ meta: { name: "unix" }, spec: { address: "unix:///run/erp", labels: app } })
    put.machine({ spec: { labels: app } })
    put.machine({ meta: { name: "other" }, spec: { address: "192.0.2.2" } })
    put.machine({ meta: { namespace: "bank" }, spec: { address: "192.0.2.3", labels: app } })
    put.pod({ cluster: "c2", facts: { addresses: ["10.20.0.2"], labels: app } })
    put.pod({ cluster: "c1", facts: { addresses: ["10.20.0.1"], labels: app } })
    put.entry({ workloadSelector: app, ...fields })
    assert.deepEqual(addresses(), expected)
  })

  it("follow a machine as its condition and address change (S-34, D-5)", () => {
    const { addresses, put } = make()
    const annotations = { [Annotation.healthChecksEnabled]: "true" }
    put.entry({ resolution: "STATIC", workloadSelector: app })
    put.machine({ meta: { annotations }, spec: { labels: app } })
    assert.deepEqual(addresses(), [])
    put.machine({ meta: { annotations }, spec: { labels: app }, healthy: true })
    assert.deepEqual(addresses(), ["192.0.2.1:80"])
    put.machine({ meta: { annotations }, spec: { address: "192.0.2.7", labels: app }, healthy: true })
    assert.deepEqual(addresses(), ["192.0.2.7:80"])
  })

  it.each([
    ["of the oldest entry", "2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z", ["old:80"]],
    ["of the first name, of one age (D-14)", "2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z", ["new:80"]]
  ])("of DNS round robin are one for each port, that %s (S-35)", (_, old, young, expected) => {
    const { addresses, put } = make()
    const shared = { hosts: ["entry.example"], resolution: "DNS_ROUND_ROBIN" } as const
    put.entry({ ...shared, endpoints: at("new"), meta: { name: "a-new", creationTime: young } })
    put.entry({ ...shared, endpoints: at("old"), meta: { name: "b-old", creationTime: old } })
    assert.deepEqual(addresses(), expected)
  })

  it("of DNS round robin come back when the entry before them goes (S-35)", () => {
    const { addresses, put, store } = make()
    const shared = { hosts: ["entry.example"], resolution: "DNS_ROUND_ROBIN" } as const
    put.entry({ ...shared, meta: { name: "a" } })
    put.entry({ ...shared, endpoints: [workloadSpec()], meta: { name: "b" } })
    assert.deepEqual(addresses(), ["entry.example:80"])
    store.delete("Kubernetes", { kind: "ServiceEntry", namespace: "shop", name: "a" })
    assert.deepEqual(addresses(), ["192.0.2.1:80"])
  })
})

describe("makeServiceEntryRegistry automatic addresses (D-8)", () => {
  const status = [{ host: "entry.example", value: "240.240.0.9" }]

  it("follow the mode", () => {
    const { automatic, mesh, put } = make({ addressMode: "status" })
    put.entry({ statusAddresses: status })
    assert.deepEqual(automatic(), ["240.240.0.9"])
    mesh.set(meshKey, { ...defaultMeshConfig, addressMode: "stable" })
    const [stable = ""] = automatic()
    assert.match(stable, /^240\.240\./)
    assert.notStrictEqual(stable, "240.240.0.9")
    mesh.set(meshKey, { ...defaultMeshConfig, addressMode: "istio-v1" })
    assert.notDeepEqual(automatic(), ["240.240.0.9"])
  })

  it.each([
    ["istio-v1", true],
    ["stable", false],
    ["status", false]
  ] as const)("of an entry that opted out, in mode %s: %s (S-37)", (addressMode, given) => {
    const { automatic, put } = make({ addressMode })
    const labels = { "networking.istio.io/enable-autoallocate-ip": "false" }
    put.entry({ statusAddresses: status, meta: { labels } })
    assert.strictEqual(automatic()[0] !== "", given)
  })

  it("are an allocator's of this process, whatever the object says", () => {
    const { automatic, put, statuses } = make({ addressMode: "status" }, false)
    put.entry({ statusAddresses: status })
    assert.deepEqual(automatic(), [""])
    statuses.set("shop/entry", [{ host: "entry.example", value: "240.240.0.1" }])
    assert.deepEqual(automatic(), ["240.240.0.1"])
  })

  it("are none where there are addresses", () => {
    const { automatic, put } = make()
    put.entry({ addresses: ["192.0.2.1"] })
    assert.deepEqual(automatic(), [""])
  })
})

describe("makeServiceEntryRegistry queries", () => {
  it("know the targets and labels of a machine's proxy, in its namespace (S-20, S-51)", () => {
    const { put, registry } = make()
    put.entry({
      resolution: "STATIC",
      workloadSelector: app,
      ports: [serviceEntryPort({ targetPort: 8080 })]
    })
    put.machine({ spec: { address: "10.20.9.9", labels: app } })
    const [target] = registry.targets(untracked, proxy())
    assert.deepEqual(
      [target?.service.hostname, target?.port.number, target?.targetPort],
      ["entry.example", 80, 8080]
    )
    assert.strictEqual(registry.workloadLabels(untracked, proxy())?.["app"], "erp")
    assert.deepEqual(registry.targets(untracked, proxy({ namespace: "bank" })), [])
    assert.isUndefined(registry.workloadLabels(untracked, proxy({ namespace: "bank" })))
  })
})
