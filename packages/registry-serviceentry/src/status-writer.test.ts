import { assert, describe, it } from "@effect/vitest"
import { Graph } from "@istiod-lite/collections"
import {
  decodeObject,
  DiscoveryGraph,
  Leadership,
  ObjectSource,
  ObjectStore,
  ObjectWriter,
  type RawObject,
  type WriteProblem
} from "@istiod-lite/model"
import { MemoryWriter, type WriterCall } from "@istiod-lite/model/testing"
import { Effect, Layer, Stream, SubscriptionRef } from "effect"
import { TestClock } from "effect/testing"
import { layerStatusWriter } from "./status-writer.ts"

const entry = (name: string, spec: object = {}, labels: object = {}): RawObject => ({
  apiVersion: "networking.istio.io/v1",
  kind: "ServiceEntry",
  metadata: { name, namespace: "shop", creationTimestamp: "2026-01-06T08:00:00Z", labels: { ...labels } },
  spec: {
    hosts: [`${name}.vendor.example`],
    resolution: "DNS",
    ports: [{ number: 443, name: "tls", protocol: "TLS" }],
    ...spec
  }
})

/** An API server in memory that a source follows, and replicas that may lead. */
const world = (before: (call: WriterCall) => Effect.Effect<void, WriteProblem> = () => Effect.void) => {
  const graph = new Graph()
  const store = new ObjectStore(graph, "Kubernetes")
  store.markSynced("Kubernetes")
  const memory = new MemoryWriter({
    before,
    onChange: ({ name, namespace }, now) => {
      if (now === undefined) return store.delete("Kubernetes", { kind: "ServiceEntry", namespace, name })
      const decoded = decodeObject(now)
      if (decoded.outcome === "object") store.put("Kubernetes", decoded)
    }
  })
  const replica = (leads: SubscriptionRef.SubscriptionRef<boolean>) =>
    layerStatusWriter({ quarantine: "1 minute" }).pipe(
      Layer.provide(
        Layer.mergeAll(
          Layer.succeed(DiscoveryGraph, graph),
          Layer.succeed(ObjectSource, store),
          Layer.succeed(ObjectWriter, memory.writer),
          Layer.succeed(Leadership, {
            ...Leadership.alone("replica"),
            whileLeading: (work) =>
              SubscriptionRef.changes(leads).pipe(
                Stream.changes,
                Stream.switchMap((does) =>
                  does ? Stream.fromEffect(Effect.andThen(work, Effect.never)) : Stream.never
                ),
                Stream.runDrain,
                Effect.andThen(Effect.never)
              )
          })
        )
      )
    )
  const addressesOf = (name: string): ReadonlyArray<string> => {
    const addresses = memory.find("ServiceEntry", "shop", name)?.status?.addresses
    return Array.isArray(addresses) ? addresses.map(({ value }: { readonly value: string }) => value) : []
  }
  return { memory, replica, addressesOf, store }
}

/** Time for whoever begins to lead, and for the writes. */
const settled = Effect.repeat(TestClock.adjust("200 millis"), { times: 5 })

const reference = (name: string) => ({
  apiVersion: "networking.istio.io/v1",
  kind: "ServiceEntry",
  namespace: "shop",
  name
})

describe("layerStatusWriter", () => {
  it.effect("the leader writes an address of each family for every host that takes them (D-8)", () =>
    Effect.gen(function* () {
      const { addressesOf, memory, replica, store } = world()
      memory.put(entry("one"))
      memory.put(entry("own", { addresses: ["203.0.113.9"] }))
      memory.put(entry("none", { resolution: "NONE" }))
      yield* Layer.build(replica(yield* SubscriptionRef.make(true)))
      yield* settled
      memory.put(entry("two"))
      yield* settled
      assert.deepStrictEqual(addressesOf("one"), ["240.240.0.1", "2001:2::1"])
      assert.deepStrictEqual(addressesOf("two"), ["240.240.0.2", "2001:2::2"])
      assert.deepStrictEqual([addressesOf("own"), addressesOf("none")], [[], []])
      // What was written counts because the object says so.
      assert.lengthOf(store.config.ServiceEntry.get("shop/one")?.statusAddresses ?? [], 2)
    })
  )

  it.effect("clears the addresses of an entry that takes none any more (case 36)", () =>
    Effect.gen(function* () {
      const { addressesOf, memory, replica } = world()
      memory.put(entry("erp"))
      yield* Layer.build(replica(yield* SubscriptionRef.make(true)))
      yield* settled
      assert.lengthOf(addressesOf("erp"), 2)
      yield* memory.writer.patch(reference("erp"), { spec: { addresses: ["203.0.113.91"] } })
      yield* settled
      assert.deepStrictEqual(addressesOf("erp"), [])
    })
  )

  it.effect("who does not lead writes nothing; who leads next keeps every address", () =>
    Effect.gen(function* () {
      const { addressesOf, memory, replica } = world()
      const [first, second] = [yield* SubscriptionRef.make(true), yield* SubscriptionRef.make(false)]
      yield* Layer.build(replica(first))
      yield* Layer.build(replica(second))
      memory.put(entry("one"))
      memory.put(entry("two"))
      yield* settled
      yield* SubscriptionRef.set(first, false)
      yield* settled
      memory.put(entry("three"))
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(addressesOf("three"), [])
      yield* SubscriptionRef.set(second, true)
      yield* settled
      assert.deepStrictEqual(
        ["one", "two", "three"].map((name) => addressesOf(name)[0]),
        ["240.240.0.1", "240.240.0.2", "240.240.0.3"]
      )
    })
  )

  it.effect(
    "an address of a deleted entry is given to nobody before its quarantine is over, nor right after",
    () =>
      Effect.gen(function* () {
        const { addressesOf, memory, replica } = world()
        yield* Layer.build(replica(yield* SubscriptionRef.make(true)))
        memory.put(entry("one"))
        yield* settled
        yield* memory.writer.delete(reference("one"))
        memory.put(entry("two"))
        yield* TestClock.adjust("2 minutes")
        memory.put(entry("three"))
        yield* settled
        assert.deepStrictEqual(
          [addressesOf("two")[0], addressesOf("three")[0]],
          ["240.240.0.2", "240.240.0.3"]
        )
      })
  )

  it.effect(
    "writes that fail are done in the end; hosts keep their addresses through changes of leader",
    () =>
      Effect.gen(function* () {
        for (let seed = 1; seed <= 10; seed++) {
          const random = randomFrom(seed)
          let isQuiet = false
          const { addressesOf, memory, replica } = world(({ verb }) => {
            if (isQuiet || verb === "delete" || random() < 0.7) return Effect.void
            return Effect.fail(random() < 0.5 ? "conflict" : "unavailable")
          })
          const leads = [yield* SubscriptionRef.make(true), yield* SubscriptionRef.make(false)]
          for (const one of leads) yield* Layer.build(replica(one))
          const known = new Map<string, string>()
          for (let step = 0; step < 60; step++) {
            const name = `host-${Math.floor(random() * 12)}`
            if (random() < 0.25) {
              yield* memory.writer.delete(reference(name))
              known.delete(name)
            } else if (memory.find("ServiceEntry", "shop", name) === undefined) memory.put(entry(name))
            if (random() < 0.1) {
              const next = Math.floor(random() * 2)
              yield* SubscriptionRef.set(leads[1 - next]!, false)
              yield* SubscriptionRef.set(leads[next]!, true)
            }
            yield* TestClock.adjust(`${Math.floor(random() * 8000)} millis`)
            for (const { metadata } of memory.objects) {
              const [address] = addressesOf(metadata.name)
              const before = known.get(metadata.name)
              if (address !== undefined) known.set(metadata.name, address)
              if (before !== undefined) assert.strictEqual(address, before, `seed ${seed}, ${metadata.name}`)
            }
          }
          isQuiet = true
          yield* TestClock.adjust("1 minute")
          const all = memory.objects.map(({ metadata }) => addressesOf(metadata.name)[0])
          assert.isFalse(all.includes(undefined))
          assert.lengthOf(new Set(all), all.length)
        }
      })
  )
})

/** A small deterministic generator (mulberry32). */
const randomFrom = (seed: number): (() => number) => {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}
