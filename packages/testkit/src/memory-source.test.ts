import { Graph } from "@istiod-lite/collections"
import { defaultMeshConfig, DiscoveryGraph, MeshConfig, meshKey, ObjectSource } from "@istiod-lite/model"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { layerMemorySource, MemoryObjects, MemorySource } from "./memory-source.ts"

const pod = (name: string, ip: string) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "shop" },
  status: { podIP: ip }
})

const entry = (host: string) => ({
  apiVersion: "networking.istio.io/v1",
  kind: "ServiceEntry",
  metadata: { name: "ext", namespace: "shop" },
  spec: { hosts: [host] }
})

const shopWith = (labels: Readonly<Record<string, string>>) => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name: "shop", labels }
})

const make = () => {
  const graph = new Graph()
  const memory = new MemoryObjects(graph)
  const pods = (cluster: string) => memory.store.clusters.get(cluster)?.objects.Pod
  return { graph, memory, pods }
}

describe("MemoryObjects", () => {
  it("apply puts an object under its key, and a changed one gets a higher version", () => {
    const { memory, pods } = make()
    memory.apply("Kubernetes", pod("a", "10.0.0.1"))
    const first = pods("Kubernetes")!.get("shop/a")!
    memory.apply("Kubernetes", pod("a", "10.0.0.1"))
    assert.strictEqual(pods("Kubernetes")!.get("shop/a"), first)
    memory.apply("Kubernetes", pod("a", "10.0.0.2"))
    const second = pods("Kubernetes")!.get("shop/a")!
    assert.deepEqual(second.ips, ["10.0.0.2"])
    assert.isTrue(second.meta.resourceVersion > first.meta.resourceVersion)
  })

  it("apply takes Istio objects from the configuration cluster only", () => {
    const { memory } = make()
    memory.apply("remote", entry("a.example.com"))
    assert.strictEqual(memory.store.config.ServiceEntry.size, 0)
    memory.apply("Kubernetes", entry("a.example.com"))
    assert.deepEqual(memory.store.config.ServiceEntry.get("shop/ext")?.hosts, ["a.example.com"])
  })

  it("apply throws on faults and leaves the state", () => {
    const { memory } = make()
    memory.apply("Kubernetes", entry("a.example.com"))
    assert.throws(() => memory.apply("Kubernetes", { ...entry("b"), spec: {} }), /hosts/)
    assert.deepEqual(memory.store.config.ServiceEntry.get("shop/ext")?.hosts, ["a.example.com"])
  })

  it("delete looks at the identity only", () => {
    const { memory, pods } = make()
    memory.apply("Kubernetes", pod("a", "10.0.0.1"))
    memory.delete("Kubernetes", pod("a", "something else"))
    assert.strictEqual(pods("Kubernetes")!.size, 0)
  })

  it("removeCluster removes all it brought in one transaction, and it may come back", () => {
    const { graph, memory, pods } = make()
    const before = graph.sizes()
    memory.apply("remote", pod("a", "10.0.0.1"))
    const remote = pods("remote")!
    memory.removeCluster("remote")
    assert.isUndefined(memory.store.clusters.get("remote"))
    assert.strictEqual(remote.size, 0)
    assert.deepEqual(graph.sizes(), before)
    memory.apply("remote", pod("a", "10.0.0.1"))
    assert.strictEqual(pods("remote")!.size, 1)
  })

  it("transaction applies together", () => {
    const { graph, memory } = make()
    let commits = 0
    graph.onCommit(() => commits++)
    memory.transaction(() => {
      memory.apply("Kubernetes", pod("a", "10.0.0.1"))
      memory.apply("Kubernetes", pod("b", "10.0.0.2"))
      memory.delete("Kubernetes", pod("a", ""))
    })
    assert.strictEqual(commits, 1)
  })
})

const layerMesh = Layer.effect(
  MeshConfig,
  Effect.map(DiscoveryGraph, (graph) => {
    const mesh = graph.source<typeof defaultMeshConfig>("mesh")
    mesh.set(meshKey, {
      ...defaultMeshConfig,
      discoverySelectors: [{ matchLabels: { mesh: "on" }, matchExpressions: [] }]
    })
    return mesh
  })
)

describe("layerMemorySource", () => {
  const layer = layerMemorySource().pipe(Layer.provideMerge(layerMesh), Layer.provide(DiscoveryGraph.layer))

  it.effect("gives the source and its driver", () =>
    Effect.gen(function* () {
      const source = yield* ObjectSource
      const memory = yield* MemorySource
      assert.isTrue(source.synced())
      memory.apply("Kubernetes", pod("a", "10.0.0.1"))
      assert.strictEqual(source.clusters.get("Kubernetes")?.objects.Pod.size, 1)
    }).pipe(Effect.provide(layer))
  )

  it.effect("leaves out Istio objects of namespaces that no discovery selector selects, until one does", () =>
    Effect.gen(function* () {
      const { config } = yield* ObjectSource
      const memory = yield* MemorySource
      memory.apply("Kubernetes", shopWith({}))
      memory.apply("Kubernetes", entry("a.example.com"))
      assert.strictEqual(config.ServiceEntry.size, 0)
      memory.apply("Kubernetes", shopWith({ mesh: "on" }))
      assert.deepEqual([...config.ServiceEntry.keys()], ["shop/ext"])
    }).pipe(Effect.provide(layer))
  )
})
