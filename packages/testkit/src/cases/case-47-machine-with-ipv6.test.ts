import { assert, describe, it } from "@effect/vitest"
import { connectionOf } from "@istiod-lite/workload-registration/testing"
import { Effect } from "effect"
import { group, shopOfMachines } from "./support/machines.ts"

describe("case 47: a machine whose address or group makes no legal name", () => {
  it.effect("registers under a name that is legal, and is an endpoint", () =>
    Effect.gen(function* () {
      const long = "g".repeat(250)
      const { endpoints, replicas, start } = yield* shopOfMachines(
        group(),
        group(long, { labels: { app: "billing" } })
      )
      const replica = yield* start("a")
      const six = { address: "2001:db8:7::15", metadata: { NETWORK: "net-vm" } }
      yield* replica.lifecycle.connected(yield* connectionOf(six))
      yield* replica.lifecycle.connected(yield* connectionOf({ address: "192.0.2.102", group: long }))
      const [first = "", second = ""] = replicas.entries.keys()
      assert.strictEqual(first, "billing-2001-db8-7--15-net-vm")
      assert.strictEqual(second.length, 253)
      assert.match(second, /^[a-z0-9].*-192\.0\.2\.102$/)
      assert.deepStrictEqual(endpoints(), ["192.0.2.102:80", "2001:db8:7::15:80"])
    })
  )
})
