import { assert, describe, it } from "@effect/vitest"
import { Graph } from "@istiod-lite/collections"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { untilSynced } from "./unsynced.ts"

describe("untilSynced", () => {
  it.effect("ends with the commit after which nothing is missing", () =>
    Effect.gen(function* () {
      const graph = new Graph()
      const read = graph.source<true>("read")
      const waiting = yield* Effect.forkChild(
        untilSynced(graph, () => (read.size < 2 ? ["cluster"] : [])),
        { startImmediately: true }
      )
      read.set("one", true)
      yield* TestClock.adjust(0)
      assert.isUndefined(waiting.pollUnsafe())
      read.set("two", true)
      yield* Fiber.join(waiting)
    })
  )

  it.effect("ends when what the commit causes has been derived, too", () =>
    Effect.gen(function* () {
      const graph = new Graph()
      const clusters = graph.source<true>("clusters")
      const registries = graph.source<true>("registries")
      const services = graph.map("services", registries, () => true)
      clusters.subscribe(() => registries.set("of the cluster", true))
      const found = yield* Effect.forkChild(
        Effect.map(
          untilSynced(graph, () => (clusters.size === 0 ? ["cluster"] : [])),
          () => services.size
        ),
        { startImmediately: true }
      )
      clusters.set("east", true)
      assert.strictEqual(yield* Fiber.join(found), 1)
    })
  )

  it.effect("notices a registry that is ready without a commit", () =>
    Effect.gen(function* () {
      let missing = ["registry machines"]
      const waiting = yield* Effect.forkChild(untilSynced(new Graph(), () => missing))
      yield* TestClock.adjust("1 minute")
      missing = []
      yield* TestClock.adjust("100 millis")
      yield* Fiber.join(waiting)
    })
  )
})
