import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { followedBakery } from "./support/api-server.ts"
import { endpointSlice, kubeService } from "./support/manifests.ts"

/** A further slice of the oven. */
const furtherSlice = (name: string, address: string) => {
  const slice = endpointSlice("oven", address)
  return { ...slice, metadata: { ...slice.metadata, name } }
}

describe("case 66: slices are deleted while nobody watches", () => {
  it.effect("the list that follows takes their endpoints", () =>
    Effect.gen(function* () {
      const second = furtherSlice("oven-2", "198.51.100.22")
      const bakery = yield* followedBakery([
        kubeService("oven"),
        endpointSlice("oven", "198.51.100.21"),
        second
      ])
      yield* TestClock.adjust("1 minute")
      assert.deepEqual(bakery.routable("oven"), ["198.51.100.21:8080", "198.51.100.22:8080"])
      for (const watch of bakery.watchOf("endpointslices")) watch.cut()
      bakery.api.delete(second)
      bakery.api.compact()
      yield* TestClock.adjust("1 second")
      assert.deepEqual(bakery.routable("oven"), ["198.51.100.21:8080"])
      assert.strictEqual(bakery.slices(), 1)
    })
  )

  it.effect("even if one of them was told of just before", () =>
    Effect.gen(function* () {
      const bakery = yield* followedBakery([kubeService("oven"), endpointSlice("oven", "198.51.100.21")])
      yield* TestClock.adjust("1 minute")
      const third = furtherSlice("oven-3", "198.51.100.23")
      bakery.api.put(third)
      for (const watch of bakery.watchOf("endpointslices")) watch.cut()
      bakery.api.delete(third)
      bakery.api.compact()
      yield* TestClock.adjust("1 second")
      assert.deepEqual(bakery.routable("oven"), ["198.51.100.21:8080"])
      assert.strictEqual(bakery.slices(), 1)
    })
  )
})
