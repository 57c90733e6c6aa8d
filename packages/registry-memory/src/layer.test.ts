import { assert, describe, it } from "@effect/vitest"
import { DiscoveryGraph, type Registry, Registries } from "@istiod-lite/model"
import { Effect, Layer } from "effect"
import { layerMemoryRegistry } from "./layer.ts"

/** The set of registries, reduced to what the layer asks of it. */
const layerRegistries = Layer.effect(
  Registries,
  Effect.map(DiscoveryGraph, (graph) => {
    const all = graph.source<Registry>("registries")
    return Registries.of({
      all,
      services: graph.merge("services"),
      endpoints: graph.merge("endpoints"),
      gateways: graph.merge("gateways"),
      add: (registry) => {
        all.set(registry.id, registry)
        return () => all.delete(registry.id)
      }
    })
  })
)

describe("layerMemoryRegistry", () => {
  it.effect("fills its registry, ends what setup started, and leaves nothing (D-7)", () =>
    Effect.gen(function* () {
      const graph = yield* DiscoveryGraph
      const registries = yield* Registries
      const before = graph.sizes()
      let running = false
      const layer = layerMemoryRegistry({ id: "machines" }, (memory) =>
        Effect.acquireRelease(
          Effect.sync(() => {
            running = true
            memory.setService({
              hostname: "cart.internal",
              ports: [{ name: "http", number: 80, protocol: "HTTP" }]
            })
          }),
          () => Effect.sync(() => (running = false))
        )
      )
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* Layer.build(layer)
          const [registry] = registries.all.values()
          assert.strictEqual(registry?.services.size, 1)
          assert.isTrue(running)
        })
      )
      assert.isFalse(running)
      assert.strictEqual(registries.all.size, 0)
      assert.deepEqual(graph.sizes(), before)
    }).pipe(Effect.provide(layerRegistries.pipe(Layer.provideMerge(DiscoveryGraph.layer))))
  )
})
