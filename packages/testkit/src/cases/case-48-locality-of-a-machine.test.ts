import { assert, describe, it } from "@effect/vitest"
import { connectionOf } from "@istiod-lite/workload-registration/testing"
import { Effect } from "effect"
import { group, shopOfMachines } from "./support/machines.ts"

describe("case 48: the locality that a machine's proxy was started with", () => {
  it.effect("is that of its entry and of its endpoint; the label with slashes is gone", () =>
    Effect.gen(function* () {
      const { localities, replicas, start } = yield* shopOfMachines(group())
      const replica = yield* start("a")
      const machine = yield* connectionOf({
        address: "192.0.2.103",
        locality: { region: "region1", zone: "zone-b", subZone: "rack2" },
        metadata: { LABELS: { "istio-locality": "region1/zone-b/rack2" } }
      })
      yield* replica.lifecycle.connected(machine)
      const entry = replicas.entries.get("billing-192.0.2.103")
      assert.strictEqual(entry?.spec?.locality, "region1/zone-b/rack2")
      assert.deepStrictEqual(entry?.metadata.labels, { app: "billing" })
      assert.deepStrictEqual(localities(), ["region1/zone-b/rack2"])
    })
  )
})
