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
