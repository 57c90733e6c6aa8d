import { assert, describe, it } from "@effect/vitest"
import { connectionOf } from "@istiod-lite/workload-registration/testing"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { group, shopOfMachines } from "./support/machines.ts"

describe("case 51: machines of several groups behind one address", () => {
  it.effect("leave no entry behind when they are gone", () =>
    Effect.gen(function* () {
      const groups = ["alpha", "beta", "gamma"]
      const { replicas, start } = yield* shopOfMachines(...groups.map((name) => group(name)))
      const replica = yield* start("a")
      const machines = yield* Effect.forEach(groups, (name) =>
        connectionOf({ address: "192.0.2.120", group: name })
      )
      yield* Effect.forEach(machines, replica.lifecycle.connected)
      assert.deepStrictEqual(
        [...replicas.entries.keys()],
        groups.map((name) => `${name}-192.0.2.120`)
      )
      machines.forEach(replica.lifecycle.disconnected)
      yield* TestClock.adjust("9 seconds")
      assert.strictEqual(replicas.entries.size, 3)
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual(replicas.entries.size, 0)
    })
  )
})
