import { assert, describe, it } from "@effect/vitest"
import { connectionOf } from "@istiod-lite/workload-registration/testing"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { group, shopOfMachines } from "./support/machines.ts"

describe("case 52: a machine moves to another replica, and the first one notices late", () => {
  it.effect("its endpoint stays all the time, and goes when the machine is gone", () =>
    Effect.gen(function* () {
      const { endpoints, replicas, start } = yield* shopOfMachines(group())
      const a = yield* start("a")
      const b = yield* start("b")
      const controller = () =>
        replicas.entries.get("billing-192.0.2.101")?.metadata.annotations?.["istio.io/workloadController"]
      const there = ["192.0.2.101:80"]
      const first = yield* connectionOf()
      yield* a.lifecycle.connected(first)
      yield* TestClock.adjust("11 seconds")
      const second = yield* connectionOf()
      yield* b.lifecycle.connected(second)
      for (let t = 11; t < 40; t++) {
        if (t === 14) a.lifecycle.disconnected(first)
        assert.deepStrictEqual([endpoints(), controller()], [there, "b"], `at ${t} s`)
        yield* TestClock.adjust("1 second")
      }
      b.lifecycle.disconnected(second)
      yield* TestClock.adjust("20 seconds")
      assert.deepStrictEqual([endpoints(), controller()], [[], undefined])
    })
  )
})
