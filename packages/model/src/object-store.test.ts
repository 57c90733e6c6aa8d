import { Graph } from "@istiod-lite/collections"
import { assert, describe, it } from "@effect/vitest"
import { decodeObject, type TypedObject } from "./decode/decode-object.ts"
import { ObjectStore } from "./object-store.ts"
import { manifest } from "./decode/decode-testing.ts"
import type { Kind } from "./objects/kinds.ts"

const typed = (kind: Kind, fields: object = {}): TypedObject => {
  const decoded = decodeObject(manifest(kind, fields))
  if (decoded.outcome !== "object") throw new Error(JSON.stringify(decoded.faults))
  return decoded
}
const pod = (ip: string) => typed("Pod", { status: { podIP: ip } })
const identity = { kind: "Pod", namespace: "shop", name: "a" } as const

describe("ObjectStore", () => {
  it("tells only updates that change what discovery reads", () => {
    const graph = new Graph()
    const store = new ObjectStore(graph, "main")
    let commits = 0
    graph.onCommit(({ changed }) => (commits += changed.length > 0 ? 1 : 0))
    store.put("main", pod("10.0.0.1"), "1")
    const before = commits
    store.put("main", pod("10.0.0.1"), "2")
    assert.strictEqual(commits, before)
    store.put("main", pod("10.0.0.2"), "3")
    assert.strictEqual(store.clusters.get("main")?.objects.Pod.get("shop/a")?.meta.resourceVersion, "3")
  })

  it("tells a slice's new version, which decides between slices (S-15)", () => {
    const store = new ObjectStore(new Graph(), "main")
    store.put("main", typed("EndpointSlice", { addressType: "IPv4" }), "1")
    store.put("main", typed("EndpointSlice", { addressType: "IPv4" }), "2")
    assert.strictEqual(
      store.clusters.get("main")?.objects.EndpointSlice.get("shop/a")?.meta.resourceVersion,
      "2"
    )
  })

  it("commits that a cluster has been read, even if it holds nothing", () => {
    const graph = new Graph()
    const store = new ObjectStore(graph, "Kubernetes")
    store.addCluster("Kubernetes")
    const seen: Array<boolean> = []
    graph.onCommit(() => seen.push(store.synced()))
    store.markSynced("Kubernetes")
    store.markSynced("Kubernetes")
    assert.deepEqual(seen, [true])
  })

  it("is synced when all its clusters are", () => {
    const store = new ObjectStore(new Graph(), "main")
    store.markSynced("main")
    store.addCluster("remote")
    assert.isFalse(store.synced())
    store.markSynced("remote")
    assert.isTrue(store.synced())
    assert.isTrue(store.clusters.get("remote")?.synced())
  })

  it("passes over Istio objects of other clusters, and deletions in unknown ones", () => {
    const store = new ObjectStore(new Graph(), "main")
    store.put("remote", typed("ServiceEntry", { spec: { hosts: ["a.b"] } }))
    store.delete("nowhere", identity)
    assert.strictEqual(store.config.ServiceEntry.size, 0)
    assert.isUndefined(store.clusters.get("nowhere"))
  })

  it("removes a cluster with all it brought (D-7), the configuration too if it is that cluster's", () => {
    const graph = new Graph()
    const store = new ObjectStore(graph, "main")
    const empty = graph.sizes()
    store.put("main", typed("ServiceEntry", { spec: { hosts: ["a.b"] } }))
    store.put("remote", pod("10.0.0.1"))
    store.removeCluster("remote")
    assert.strictEqual(store.config.ServiceEntry.size, 1)
    store.removeCluster("main")
    assert.strictEqual(store.config.ServiceEntry.size, 0)
    assert.deepEqual(graph.sizes(), empty)
  })

  it("empties what is derived from a cluster before its collections go", () => {
    const graph = new Graph()
    const store = new ObjectStore(graph, "main")
    store.put("remote", pod("10.0.0.1"))
    const all = graph.merge("pods", [store.clusters.get("remote")!.objects.Pod])
    const seen: Array<number> = []
    all.subscribe((changes) => seen.push(changes.length))
    store.removeCluster("remote")
    assert.deepEqual(seen, [1])
    assert.strictEqual(all.size, 0)
  })

  it("keeps a removed cluster's collections until a surrounding transaction is published", () => {
    const graph = new Graph()
    const store = new ObjectStore(graph, "main")
    store.put("remote", pod("10.0.0.1"))
    const pods = graph.map("pods", store.clusters.get("remote")!.objects.Pod, (_, { ips }) => ips)
    const seen: Array<number> = []
    pods.subscribe((changes) => seen.push(changes.length))
    graph.transaction(() => store.removeCluster("remote"))
    assert.deepEqual(seen, [1])
  })

  it("lets a successor take over at once, when it is told to", () => {
    const graph = new Graph()
    const store = new ObjectStore(graph, "main")
    store.put("main", pod("10.0.0.1"))
    store.put("main", typed("ServiceEntry", { spec: { hosts: ["a.b"] } }))
    const before = graph.sizes()
    const old = store.clusters.get("main")
    const successor = store.successor("main")
    successor.put(pod("10.0.0.1"), "7")
    successor.put(pod("10.0.0.2"), "8")
    successor.put(typed("ServiceEntry", { spec: { hosts: ["c.d"] } }))
    assert.strictEqual(store.clusters.get("main"), old)
    assert.deepEqual(store.config.ServiceEntry.get("shop/a")?.hosts, ["a.b"])
    successor.takeOver()
    assert.deepEqual(store.clusters.get("main")?.objects.Pod.get("shop/a")?.ips, ["10.0.0.2"])
    assert.deepEqual(store.config.ServiceEntry.get("shop/a")?.hosts, ["c.d"])
    assert.isTrue(store.synced())
    assert.deepEqual(graph.sizes(), before)
    successor.put(pod("10.0.0.3"))
    assert.deepEqual(store.clusters.get("main")?.objects.Pod.get("shop/a")?.ips, ["10.0.0.2"])
  })

  it("forgets a successor that is abandoned", () => {
    const graph = new Graph()
    const store = new ObjectStore(graph, "main")
    store.put("main", pod("10.0.0.1"))
    const before = graph.sizes()
    const successor = store.successor("main")
    successor.put(pod("10.0.0.2"))
    successor.abandon()
    successor.takeOver()
    assert.deepEqual(graph.sizes(), before)
    assert.deepEqual(store.clusters.get("main")?.objects.Pod.get("shop/a")?.ips, ["10.0.0.1"])
  })
})
