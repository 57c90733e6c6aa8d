import { Graph } from "@istiod-lite/collections"
import { assert, describe, it } from "@effect/vitest"
import {
  Annotation,
  defaultMeshConfig,
  DiscoveryGraph,
  MeshConfig,
  type MeshConfigValue,
  meshKey,
  ObjectSource,
  ObjectStore,
  Registries,
  type Registry,
  type ServiceEntry,
  ServiceEntryStatuses,
  WorkloadExchange,
  makeWorkloads
} from "@istiod-lite/model"
import { namespace, serviceEntry, workloadEntry } from "@istiod-lite/model/testing"
import { Effect, Layer } from "effect"
import { layerServiceEntryRegistry } from "./layer.ts"

/** What the layer asks for, on a graph of its own, with one ServiceEntry. */
const makeInputs = (settings: Partial<MeshConfigValue> = {}) => {
  const graph = new Graph()
  const store = new ObjectStore(graph, "c1")
  const mesh = graph.source<MeshConfigValue>("mesh")
  mesh.set(meshKey, { ...defaultMeshConfig, ...settings })
  const shared = makeWorkloads(graph)
  const all = graph.source<Registry>("registries")
  const registries = Registries.of({
    all,
    services: graph.merge("all services"),
    endpoints: graph.merge("all endpoints"),
    gateways: graph.merge("all gateways"),
    add: (registry) => {
      all.set(registry.id, registry)
      return () => all.delete(registry.id)
    }
  })
  const statuses = graph.source<ServiceEntry["statusAddresses"]>("statuses")
  const layer = Layer.mergeAll(
    Layer.succeed(DiscoveryGraph, graph),
    Layer.succeed(ObjectSource, store),
    Layer.succeed(MeshConfig, mesh),
    Layer.succeed(Registries, registries),
    Layer.succeed(WorkloadExchange, shared)
  )
  store.put("c1", { kind: "ServiceEntry", object: serviceEntry() })
  store.put("c1", { kind: "WorkloadEntry", object: workloadEntry() })
  const service = () => [...(all.get("External/c1")?.services.values() ?? [])][0]
  return { graph, store, all, shared, statuses, layer, service }
}

describe("layerServiceEntryRegistry", () => {
  it.effect(
    "is the registry of the configuration cluster, after Kubernetes, and shares machines (S-40)",
    () =>
      Effect.gen(function* () {
        const { all, layer, shared } = makeInputs()
        yield* Layer.build(layerServiceEntryRegistry.pipe(Layer.provide(layer)))
        assert.strictEqual(all.get("External/c1")?.precedence, 2)
        assert.strictEqual(shared.all.size, 1)
      })
  )

  it.effect("follows namespaces of the configuration cluster, also of one that is replaced (S-12)", () =>
    Effect.gen(function* () {
      const { layer, service, store } = makeInputs()
      yield* Layer.build(layerServiceEntryRegistry.pipe(Layer.provide(layer)))
      const near = namespace("shop", { annotations: { [Annotation.trafficDistribution]: "PreferClose" } })
      store.put("c1", { kind: "Namespace", object: near })
      assert.strictEqual(service()?.trafficDistribution, "PreferSameZone")
      store.removeCluster("c1")
      store.put("c1", { kind: "ServiceEntry", object: serviceEntry() })
      assert.strictEqual(service()?.trafficDistribution, "Any")
      store.put("c1", { kind: "Namespace", object: near })
      assert.strictEqual(service()?.trafficDistribution, "PreferSameZone")
    })
  )

  it.effect("takes the statuses of an allocator, if there is one (D-8)", () =>
    Effect.gen(function* () {
      const { layer, service, statuses } = makeInputs({ addressMode: "status" })
      statuses.set("shop/entry", [{ host: "entry.example", value: "240.240.0.1" }])
      const allocator = Layer.succeed(ServiceEntryStatuses, statuses)
      yield* Layer.build(layerServiceEntryRegistry.pipe(Layer.provide(allocator), Layer.provide(layer)))
      assert.strictEqual(service()?.autoAllocatedIpv4, "240.240.0.1")
    })
  )

  it.effect("leaves nothing when the layer goes (D-7)", () =>
    Effect.gen(function* () {
      const { all, graph, layer } = makeInputs()
      const before = graph.sizes()
      yield* Layer.build(layerServiceEntryRegistry.pipe(Layer.provide(layer))).pipe(Effect.scoped)
      assert.strictEqual(all.size, 0)
      assert.deepEqual(graph.sizes(), before)
    })
  )
})
