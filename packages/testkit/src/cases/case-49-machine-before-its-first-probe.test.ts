import { assert, describe, it } from "@effect/vitest"
import { connectionOf } from "@istiod-lite/workload-registration/testing"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { group, shopOfMachines } from "./support/machines.ts"

describe("case 49: a machine with a readiness probe", () => {
  it.effect("gets traffic while it says that it is healthy, and not before", () =>
    Effect.gen(function* () {
      const { endpoints, start } = yield* shopOfMachines(group())
      const replica = yield* start("a")
      const machine = yield* connectionOf({
        metadata: { PROXY_CONFIG: { readinessProbe: { httpGet: { port: 8080 } } } }
      })
      yield* replica.lifecycle.connected(machine)
      assert.deepStrictEqual(endpoints(), [])
      for (const [healthy, expected] of [
        [true, ["192.0.2.101:80"]],
        [false, []],
        [true, ["192.0.2.101:80"]]
      ] as const) {
        replica.lifecycle.reported(machine, { healthy, message: healthy ? "" : "disk full" })
        yield* TestClock.adjust("1 millis")
        assert.deepStrictEqual(endpoints(), expected)
      }
      const plain = yield* connectionOf({ address: "192.0.2.102" })
      yield* replica.lifecycle.connected(plain)
      assert.deepStrictEqual(endpoints(), ["192.0.2.101:80", "192.0.2.102:80"])
    })
  )
})
