import { assert, describe, it } from "@effect/vitest"
import type { RawObject } from "@istiod-lite/model"
import { connectionOf } from "@istiod-lite/workload-registration/testing"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { group, shopOfMachines } from "./support/machines.ts"

const ledger: RawObject = {
  apiVersion: "networking.istio.io/v1",
  kind: "WorkloadEntry",
  metadata: {
    name: "ledger-1",
    namespace: "shop",
    annotations: { "proxy.istio.io/health-checks-enabled": "true" }
  },
  spec: { address: "192.0.2.140", labels: { app: "ledger" }, serviceAccount: "ledger" }
}

describe("case 54: a proxy claims a group or an entry that is not its own", () => {
  it.effect("its stream is refused and nothing is written", () =>
    Effect.gen(function* () {
      const { endpoints, replicas, start } = yield* shopOfMachines(group(), ledger)
      const replica = yield* start("a")
      const web = ["spiffe://cluster.local/ns/shop/sa/web"]
      const before = replicas.entries.get("ledger-1")
      for (const claim of [
        { identities: web },
        { identities: ["spiffe://cluster.local/ns/other/sa/billing-vm"] },
        { identities: [] },
        { identities: web, group: "", metadata: { WORKLOAD_ENTRY: "ledger-1" } }
      ]) {
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
