import { Graph } from "@istiod-lite/collections"
import { assert, describe, it } from "@effect/vitest"
import {
  defaultMeshConfig,
  DiscoveryGraph,
  gatewaysKey,
  MeshConfig,
  type MeshConfigValue,
  meshKey,
  Registries,
  type Registry,
  ServiceDiscovery
} from "@istiod-lite/model"
import { endpoint, endpointGroup, entryService, service, writtenRegistry } from "@istiod-lite/model/testing"
import { Context, Effect, Layer } from "effect"
import { layerRegistries } from "./registries.ts"
import { layerServiceDiscovery } from "./service-discovery.ts"

/** A phone book without registries. */
const makeDiscovery = Effect.gen(function* () {
  const graph = new Graph()
  const mesh = graph.source<MeshConfigValue>("mesh")
  mesh.set(meshKey, defaultMeshConfig)
  const context = yield* Layer.build(
    layerServiceDiscovery.pipe(
      Layer.provideMerge(layerRegistries),
      Layer.provideMerge(Layer.merge(Layer.succeed(DiscoveryGraph, graph), Layer.succeed(MeshConfig, mesh)))
    )
  )
  const discovery = Context.get(context, ServiceDiscovery)
  const registries = Context.get(context, Registries)
  /** A registry with the service `reviews` at `vip`, and one endpoint. */
  const add = (cluster: string, vip: string, fields: Partial<Registry> = {}) => {
    const written = writtenRegistry(graph, { provider: "Kubernetes", cluster, ...fields })
    const { id } = written.registry
    written.services.set(
      `${id}|reviews`,
      service({ cluster, clusterVips: { [cluster]: [vip] }, labels: { from: cluster } })
    )
    written.endpoints.set(
      `${id}|a`,
      endpointGroup({ shard: id, endpoints: [endpoint({ serviceAccount: cluster })] })
    )
    return { ...written, remove: registries.add(written.registry) }
  }
  const reviews = () => [...discovery.services.values()]
  return { graph, mesh, discovery, registries, add, reviews }
})

describe("layerServiceDiscovery", () => {
  it.effect(
    "takes a merged service from the configuration cluster, whatever was added first (S-40, S-41)",
    () =>
      Effect.gen(function* () {
        const { add, reviews } = yield* makeDiscovery
        add("a", "10.1.0.1")
        const config = add("z", "10.2.0.1", { precedence: 0 })
        assert.deepEqual(
          reviews().map(({ clusterVips, labels }) => [labels["from"], clusterVips]),
          [["z", { a: ["10.1.0.1"], z: ["10.2.0.1"] }]]
        )
        config.remove()
        assert.deepEqual(
          reviews().map(({ clusterVips, labels }) => [labels["from"], clusterVips]),
          [["a", { a: ["10.1.0.1"] }]]
        )
      })
  )

  it.effect("joins the endpoints of all clusters, sorted by shard (S-61)", () =>
    Effect.gen(function* () {
      const { add, discovery } = yield* makeDiscovery
      add("z", "10.2.0.1")
      add("a", "10.1.0.1")
      const [joined] = discovery.endpoints.values()
      assert.deepEqual(
        joined?.groups.map(({ shard }) => shard),
        ["Kubernetes/a", "Kubernetes/z"]
      )
      assert.deepEqual(joined?.serviceAccounts, ["a", "z"])
    })
  )

  it.effect("lists Kubernetes before the oldest entry of a hostname (S-35, S-42)", () =>
    Effect.gen(function* () {
      const { add, discovery, graph, registries } = yield* makeDiscovery
      const { registry, services } = writtenRegistry(graph, { provider: "External", cluster: "a" })
      const { hostname } = service()
      for (const [name, day] of [
        ["young", "02"],
        ["old", "01"]
      ] as const)
        services.set(
          `External/a|${name}`,
          entryService({ hostname, objectName: name, creationTime: `2026-01-${day}T00:00:00Z` })
        )
      registries.add(registry)
      add("a", "10.1.0.1")
      assert.deepEqual(
        discovery.byHostname.lookup(hostname).map(([, { objectName, provider }]) => objectName || provider),
        ["Kubernetes", "old", "young"]
      )
    })
  )

  it.effect("keeps a service without endpoints, and its accounts until it goes (S-45, S-61)", () =>
    Effect.gen(function* () {
      const { add, discovery } = yield* makeDiscovery
      const { endpoints, services } = add("a", "10.1.0.1")
      const group = endpoints.get("Kubernetes/a|a")
      const accounts = () => [...discovery.endpoints.values()].map(({ serviceAccounts }) => serviceAccounts)
      endpoints.delete("Kubernetes/a|a")
      assert.deepEqual(accounts(), [["a"]])
      const definition = services.get("Kubernetes/a|reviews")!
      services.delete("Kubernetes/a|reviews")
      assert.deepEqual(accounts(), [])
      services.set("Kubernetes/a|reviews", definition)
      assert.deepEqual(accounts(), [[]])
      endpoints.set("Kubernetes/a|a", group!)
      assert.deepEqual(accounts(), [["a"]])
    })
  )

  it.effect("gives no endpoints of a service that nobody declares (S-13)", () =>
    Effect.gen(function* () {
      const { add, discovery } = yield* makeDiscovery
      add("a", "10.1.0.1").services.delete("Kubernetes/a|reviews")
      assert.strictEqual(discovery.endpoints.size, 0)
    })
  )

  it.effect(
    "knows gateways of services and of the settings, without those that it cannot resolve (S-44)",
    () =>
      Effect.gen(function* () {
        const { add, discovery, mesh } = yield* makeDiscovery
        const { gateways } = add("a", "10.1.0.1")
        const known = () => (discovery.gateways.get(gatewaysKey) ?? []).map(({ address }) => address)
        gateways.set("Kubernetes/a|1", { network: "n1", cluster: "a", address: "203.0.113.1", port: 15443 })
        gateways.set("Kubernetes/a|2", { network: "n1", cluster: "a", address: "lb.example", port: 15443 })
        assert.deepEqual(known(), ["203.0.113.1"])
        const networks = { n2: { endpoints: [], gateways: [{ address: "203.0.113.2", port: 443 }] } }
        mesh.set(meshKey, { ...defaultMeshConfig, networks })
        assert.deepEqual(known(), ["203.0.113.1", "203.0.113.2"])
      })
  )

  it.effect("is synced when all registries are (S-42)", () =>
    Effect.gen(function* () {
      const { add, discovery } = yield* makeDiscovery
      assert.isTrue(discovery.synced())
      let synced = false
      add("a", "10.1.0.1")
      add("b", "10.2.0.1", { synced: () => synced })
      assert.isFalse(discovery.synced())
      synced = true
      assert.isTrue(discovery.synced())
    })
  )

  it.effect(
    "tells a registry that comes, is replaced or goes in one change, and keeps nothing of it (S-42, D-7)",
    () =>
      Effect.gen(function* () {
        const { add, discovery, graph } = yield* makeDiscovery
        add("a", "10.1.0.1")
        const scope = graph.scope(() => add("b", "10.2.0.1"))
        scope.value.remove()
        scope.dispose()
        const before = graph.sizes()
        const batches: Array<number> = []
        discovery.services.subscribe((changes) => batches.push(changes.length))
        const old = graph.scope(() => add("b", "10.2.0.1"))
        const renewed = graph.transaction(() => {
          old.value.remove()
          old.dispose()
          return graph.scope(() => add("b", "10.2.0.9"))
        })
        assert.deepEqual([...discovery.services.values()][0]?.clusterVips["b"], ["10.2.0.9"])
        renewed.value.remove()
        renewed.dispose()
        assert.deepEqual(batches, [1, 1, 1])
        assert.deepEqual(graph.sizes(), before)
      })
  )
})

describe("layerRegistries", () => {
  it.effect("takes an id once, until its registry is removed", () =>
    Effect.gen(function* () {
      const { add, graph, registries } = yield* makeDiscovery
      const { registry, remove } = add("a", "10.1.0.1")
      assert.throws(
        () => registries.add(registry),
        /Cannot add registry Kubernetes\/a: one with this id is there/
      )
      remove()
      remove()
      assert.strictEqual(registries.all.size, 0)
      assert.doesNotThrow(() => registries.add(registry))
      const { registry: other } = writtenRegistry(graph, { provider: "External", cluster: "a", id: "a|b" })
      assert.throws(() => registries.add(other), /its id has a \|/)
    })
  )
})
