import { assert, describe, it } from "@effect/vitest"
import { connectionOf, impostors, ledgerEntry } from "@istiod-lite/workload-registration/testing"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { group, shopOfMachines } from "./support/machines.ts"

describe("case 54: a proxy claims a group or an entry that is not its own", () => {
  it.effect("its stream is refused and nothing is written", () =>
    Effect.gen(function* () {
      const { endpoints, replicas, start } = yield* shopOfMachines(group(), ledgerEntry)
      const replica = yield* start("a")
      const before = replicas.entries.get("ledger-1")
      for (const [claim] of impostors) {
        const impostor = yield* connectionOf(claim)
        const refused = yield* Effect.result(replica.lifecycle.connected(impostor))
        assert.strictEqual(refused._tag, "Failure")
        replica.lifecycle.reported(impostor, { healthy: true, message: "" })
        replica.lifecycle.disconnected(impostor)
        yield* TestClock.adjust("1 second")
        assert.deepStrictEqual([...replicas.entries.values()], [before])
      }
      yield* replica.lifecycle.connected(yield* connectionOf({ address: "192.0.2.141" }))
      assert.deepStrictEqual(endpoints(), ["192.0.2.141:80"])
    })
  )
})
