import { assert, describe, it } from "@effect/vitest"
import {
  decodeObject,
  DiscoveryGraph,
  ObjectSource,
  ObjectStore,
  ServiceEntryStatuses
} from "@istiod-lite/model"
import { Context, Effect, Layer } from "effect"
import type { AllocatorState } from "./status-allocator.ts"
import { layerStatusAllocator } from "./status-layer.ts"

const makeStore = Effect.gen(function* () {
  const graph = yield* DiscoveryGraph
  const store = new ObjectStore(graph, "Kubernetes")
  const put = (name: string, address = ""): void => {
    const decoded = decodeObject({
      apiVersion: "networking.istio.io/v1",
      kind: "ServiceEntry",
      metadata: { name, namespace: "shop" },
      spec: { hosts: [`${name}.example`], ports: [{ number: 80, name: "http" }], resolution: "DNS" },
      ...(address === "" ? {} : { status: { addresses: [{ host: `${name}.example`, value: address }] } })
    })
    if (decoded.outcome === "object") store.put("Kubernetes", decoded)
  }
  const remove = (name: string): void =>
    store.delete("Kubernetes", { kind: "ServiceEntry", namespace: "shop", name })
  return { graph, store, put, remove }
})

const makeStatuses = (store: ObjectStore, options: Parameters<typeof layerStatusAllocator>[0] = {}) =>
  Layer.build(layerStatusAllocator(options)).pipe(
    Effect.map((context) => Context.get(context, ServiceEntryStatuses)),
    Effect.provideService(ObjectSource, store)
  )

describe("layerStatusAllocator", () => {
  it.effect("allocates for what is there and what comes, and keeps the state of both", () =>
    Effect.gen(function* () {
      const { put, store } = yield* makeStore
      let kept: AllocatorState | undefined
      put("a")
      const statuses = yield* makeStatuses(store, { onChange: (state) => (kept = state) })
      put("b")
      assert.strictEqual(statuses.get("shop/a")?.[0]?.value, "240.240.0.1")
      assert.strictEqual(statuses.get("shop/b")?.[0]?.value, "240.240.0.2")
      assert.deepEqual(kept?.statuses, Object.fromEntries(statuses.entries()))
    }).pipe(Effect.provide(DiscoveryGraph.layer))
  )

  it.effect("goes on from a kept state", () =>
    Effect.gen(function* () {
      const { put, store } = yield* makeStore
      let kept: AllocatorState | undefined
      put("a")
      put("b")
      yield* makeStatuses(store, { onChange: (state) => (kept = state) }).pipe(Effect.scoped)
      const { put: putAgain, store: later } = yield* makeStore
      const statuses = yield* makeStatuses(later, kept === undefined ? {} : { state: kept })
      putAgain("b")
      putAgain("c")
      assert.strictEqual(statuses.get("shop/b")?.[0]?.value, "240.240.0.2")
      assert.strictEqual(statuses.get("shop/c")?.[0]?.value, "240.240.0.3")
    }).pipe(Effect.provide(DiscoveryGraph.layer))
  )

  it.effect("gives an address to the entry that takes it over in one transaction", () =>
    Effect.gen(function* () {
      const { graph, put, remove, store } = yield* makeStore
      const statuses = yield* makeStatuses(store)
      put("a", "240.240.0.5")
      graph.transaction(() => {
        put("b", "240.240.0.5")
        remove("a")
      })
      assert.strictEqual(statuses.get("shop/b")?.[0]?.value, "240.240.0.5")
      assert.isUndefined(statuses.get("shop/a"))
    }).pipe(Effect.provide(DiscoveryGraph.layer))
  )

  it.effect("hands out nothing that another entry of the transaction has", () =>
    Effect.gen(function* () {
      const { graph, put, store } = yield* makeStore
      const statuses = yield* makeStatuses(store)
      graph.transaction(() => {
        put("a")
        put("b", "240.240.0.1")
      })
      assert.strictEqual(statuses.get("shop/a")?.[0]?.value, "240.240.0.2")
      assert.strictEqual(statuses.get("shop/b")?.[0]?.value, "240.240.0.1")
    }).pipe(Effect.provide(DiscoveryGraph.layer))
  )
})
