import { Graph } from "@istiod-lite/collections"
import { assert, describe, it } from "@effect/vitest"
import {
  defaultMeshConfig,
  DiscoveryGraph,
  MeshConfig,
  meshKey,
  ObjectSource,
  ObjectStore,
  Registries,
  type Registry,
  WorkloadExchange,
  makeWorkloads
} from "@istiod-lite/model"
import {
  endpointSlice,
  kubeService,
  pod,
  podRef,
  serviceImport,
  sliceEndpoint
} from "@istiod-lite/model/testing"
import { Effect, Layer } from "effect"
import { layerKubeRegistries } from "./layer.ts"

/** What the layer asks for, on a graph with two clusters. */
const makeInputs = () => {
  const graph = new Graph()
  const store = new ObjectStore(graph, "c1")
  store.addCluster("c1")
  const mesh = graph.source<typeof defaultMeshConfig>("mesh")
  mesh.set(meshKey, defaultMeshConfig)
  const shared = makeWorkloads(graph)
  const all = graph.source<Registry>("registries")
  const endpoints = graph.merge<never>("all endpoints")
  const registries = Registries.of({
    all,
    services: graph.merge("all services"),
    endpoints,
    gateways: graph.merge("all gateways"),
    add: (registry) => {
      all.set(registry.id, registry)
      return () => all.delete(registry.id)
    }
  })
  const layer = Layer.mergeAll(
    Layer.succeed(DiscoveryGraph, graph),
    Layer.succeed(ObjectSource, store),
    Layer.succeed(MeshConfig, mesh),
    Layer.succeed(Registries, registries),
    Layer.succeed(WorkloadExchange, shared)
  )
  const fill = (cluster: string): void =>
    graph.transaction(() => {
      store.put(cluster, { kind: "Service", object: kubeService() })
      store.put(cluster, { kind: "Pod", object: pod() })
      const endpoints = [sliceEndpoint({ targetRef: podRef() })]
      store.put(cluster, { kind: "EndpointSlice", object: endpointSlice({ endpoints }) })
    })
  return { graph, store, all, shared, layer, fill, mesh }
}

describe("layerKubeRegistries", () => {
  it.effect("keeps a registry for each cluster that is there (S-22, S-40)", () =>
    Effect.gen(function* () {
      const { all, layer, store } = makeInputs()
      yield* Layer.build(layerKubeRegistries.pipe(Layer.provide(layer)))
      assert.deepEqual([...all.keys()], ["Kubernetes/c1"])
      store.addCluster("c2")
      assert.deepEqual(
        [...all.values()].map(({ cluster, precedence }) => [cluster, precedence]),
        [
          ["c1", 0],
          ["c2", 1]
        ]
      )
      store.removeCluster("c2")
      assert.deepEqual([...all.keys()], ["Kubernetes/c1"])
    })
  )

  it.effect("tells each cluster's services of the imports of all clusters, as clusters come and go", () =>
    Effect.gen(function* () {
      const { all, fill, layer, mesh, store } = makeInputs()
      mesh.set(meshKey, { ...defaultMeshConfig, exportedServicesOnly: true, clusterSetHosts: true })
      yield* Layer.build(layerKubeRegistries.pipe(Layer.provide(layer)))
      fill("c1")
      const vips = () =>
        [...(all.get("Kubernetes/c1")?.services.values() ?? [])].flatMap(({ clusterVips, hostname }) =>
          hostname.endsWith(".clusterset.local") ? [clusterVips] : []
        )
      store.put("c2", { kind: "ServiceImport", object: serviceImport({ ips: ["10.112.2.1"] }) })
      assert.deepEqual(vips(), [{ c2: ["10.112.2.1"] }])
      store.put("c1", { kind: "ServiceImport", object: serviceImport() })
      assert.deepEqual(vips(), [{ c1: ["10.112.0.1"], c2: ["10.112.2.1"] }])
      store.removeCluster("c2")
      assert.deepEqual(vips(), [{ c1: ["10.112.0.1"] }])
    })
  )

  it.effect("leaves nothing of a cluster that goes (D-7)", () =>
    Effect.gen(function* () {
      const { fill, graph, layer, shared, store } = makeInputs()
      yield* Layer.build(layerKubeRegistries.pipe(Layer.provide(layer)))
      fill("c1")
      graph.wakeAll()
      const before = graph.sizes()
      fill("c2")
      assert.strictEqual(shared.all.size, 2)
      store.removeCluster("c2")
      assert.strictEqual(shared.all.size, 1)
      assert.deepEqual(graph.sizes(), before)
    })
  )

  it.effect("leaves nothing when the layer goes", () =>
    Effect.gen(function* () {
      const { all, fill, graph, layer } = makeInputs()
      fill("c1")
      const before = graph.sizes()
      yield* Layer.build(layerKubeRegistries.pipe(Layer.provide(layer))).pipe(Effect.scoped)
      assert.strictEqual(all.size, 0)
      assert.deepEqual(graph.sizes(), before)
    })
  )
})
