import { afterEach, assert, describe, it, vi } from "@effect/vitest"
import { Effect } from "effect"
import { collectGarbage } from "./collect-garbage.ts"

describe("collectGarbage", () => {
  afterEach(() => {
    vi.unstubAllGlobals()
  })

  it.effect("asks for one whole collection, as a task of its own, and waits for it", () =>
    Effect.gen(function* () {
      const events: Array<unknown> = []
      vi.stubGlobal("gc", async (options: unknown) => {
        events.push(options)
        await Promise.resolve()
        events.push("collected")
      })
      yield* collectGarbage
      assert.deepStrictEqual(events, [{ type: "major", execution: "async" }, "collected"])
    })
  )

  it.effect("does without where it may not ask", () =>
    Effect.gen(function* () {
      vi.stubGlobal("gc", undefined)
      assert.isUndefined(yield* collectGarbage)
    })
  )
})
