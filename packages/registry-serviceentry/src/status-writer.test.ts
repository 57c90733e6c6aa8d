import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { TestClock } from "effect/testing"
import { AllocatingReplicas, entryReference, rawEntry, settled } from "./testing/allocating-replicas.ts"

const host = (name: string, number: number): ReadonlyArray<string> => [
  `${name}.vendor.example=240.240.0.${number}`,
  `${name}.vendor.example=2001:2::${number}`
]

const warnings = () => {
  const lines: Array<unknown> = []
  const logger = Logger.make(({ logLevel, message }) => {
    if (logLevel === "Warn") lines.push(...[message].flat())
  })
  return { lines, logger: Logger.layer([logger]) }
}

describe("layerStatusWriter", () => {
  it.effect("the leader writes an address of each family for every host that takes them (D-8)", () =>
    Effect.gen(function* () {
      const world = yield* AllocatingReplicas.make()
      world.memory.put(rawEntry("one"))
      world.memory.put(rawEntry("own", { addresses: ["203.0.113.9"] }))
      world.memory.put(rawEntry("none", { resolution: "NONE" }))
      yield* settled
      world.memory.put(rawEntry("two"))
      yield* settled
      assert.deepStrictEqual(world.addressesOf("one"), host("one", 1))
      assert.deepStrictEqual(world.addressesOf("two"), host("two", 2))
      assert.deepStrictEqual([...world.addressesOf("own"), ...world.addressesOf("none")], [])
      // What was written counts because the object says so, everywhere.
      for (const { store } of world.replicas)
        assert.lengthOf(store.config.ServiceEntry.get("shop/one")?.statusAddresses ?? [], 2)
    })
  )

  it.effect("clears the addresses of an entry that takes none any more (case 36)", () =>
    Effect.gen(function* () {
      const world = yield* AllocatingReplicas.make()
      world.memory.put(rawEntry("erp"))
      yield* settled
      assert.lengthOf(world.addressesOf("erp"), 2)
      yield* world.memory.writer.patch(entryReference("erp"), { spec: { addresses: ["203.0.113.91"] } })
      yield* settled
      assert.deepStrictEqual(world.addressesOf("erp"), [])
    })
  )

  it.effect("who does not lead writes nothing; who leads next keeps every address", () =>
    Effect.gen(function* () {
      const world = yield* AllocatingReplicas.make()
      world.memory.put(rawEntry("one"))
      yield* settled
      world.before = () => Effect.fail("unavailable")
      world.memory.put(rawEntry("two"))
      yield* settled
      world.before = () => Effect.void
      yield* world.lead(1)
      yield* settled
      assert.deepStrictEqual(world.addressesOf("one"), host("one", 1))
      assert.deepStrictEqual(world.addressesOf("two"), host("two", 2))
    })
  )

  it.effect("an address of a deleted entry is given to nobody in its quarantine, nor right after", () =>
    Effect.gen(function* () {
      const world = yield* AllocatingReplicas.make()
      world.memory.put(rawEntry("one"))
      yield* settled
      yield* world.memory.writer.delete(entryReference("one"))
      world.memory.put(rawEntry("two"))
      yield* TestClock.adjust("2 minutes")
      world.memory.put(rawEntry("three"))
      yield* settled
      assert.deepStrictEqual(world.addressesOf("two"), host("two", 2))
      assert.deepStrictEqual(world.addressesOf("three"), host("three", 3))
    })
  )

  it.effect.each(["get", "patch"])(
    "leaves a status alone that somebody else wrote before its own %s",
    (when) =>
      Effect.gen(function* () {
        const world = yield* AllocatingReplicas.make()
        const istiods = rawEntry("one")
        let isFirst = true
        world.before = ({ verb }) =>
          Effect.sync(() => {
            if (!isFirst || verb !== when) return
            isFirst = false
            const addresses = [
              { host: "one.vendor.example", value: "240.240.0.77" },
              { host: "one.vendor.example", value: "2001:2::77" }
            ]
            world.memory.put({ ...istiods, status: { addresses } })
          })
        world.memory.put(istiods)
        yield* settled
        yield* TestClock.adjust("1 minute")
        assert.deepStrictEqual(world.addressesOf("one"), host("one", 77))
      })
  )

  it.effect("says once why it cannot write", () => {
    const { lines, logger } = warnings()
    return Effect.gen(function* () {
      const world = yield* AllocatingReplicas.make()
      world.before = () => Effect.fail("forbidden")
      world.memory.put(rawEntry("one"))
      yield* settled
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(lines, [
        "Cannot get ServiceEntry shop/one: forbidden. New hosts get no automatic addresses until they can be written."
      ])
      world.before = () => Effect.void
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual(world.addressesOf("one"), host("one", 1))
    }).pipe(Effect.provide(logger))
  })

  it.effect("says that the addresses are used up; whoever got none gets one as soon as there is one", () => {
    const { lines, logger } = warnings()
    return Effect.gen(function* () {
      const pools = { ipv4: "240.240.0.0/30", ipv6: "2001:2::/48" }
      const world = yield* AllocatingReplicas.make({ pools })
      for (const name of ["a", "b", "c"]) world.memory.put(rawEntry(name))
      yield* settled
      world.memory.put(rawEntry("late"))
      yield* settled
      assert.deepStrictEqual(world.addressesOf("late"), ["late.vendor.example=2001:2::4"])
      assert.lengthOf(lines, 1)
      assert.match(
        String(lines[0]),
        /All 3 automatic IPv4 addresses of 240\.240\.0\.0\/30 are in use.*spec\.addresses/
      )
      yield* world.memory.writer.delete(entryReference("b"))
      for (let i = 0; i < 14; i++) yield* TestClock.adjust("5 seconds")
      yield* settled
      assert.deepStrictEqual(world.addressesOf("late"), [
        "late.vendor.example=240.240.0.2",
        "late.vendor.example=2001:2::4"
      ])
      assert.lengthOf(lines, 1)
    }).pipe(Effect.provide(logger))
  })
})
