import { assert, describe, it } from "@effect/vitest"
import { connectionOf } from "@istiod-lite/workload-registration/testing"
import { Effect } from "effect"
import { group, shopOfMachines } from "./support/machines.ts"

describe("case 46: the labels of a machine that registers itself", () => {
  it.effect("are its own over its group's over the template's, and select it", () =>
    Effect.gen(function* () {
      const template = { labels: { tier: "template", zone: "template", from: "template" } }
      const labels = { app: "billing", tier: "group", from: "group" }
      const { endpoints, replicas, start } = yield* shopOfMachines(group("billing", { labels, template }))
      const replica = yield* start("a")
      const machine = yield* connectionOf({
        metadata: { LABELS: { tier: "node", host: "rack7" }, NETWORK: "net-vm" }
      })
      yield* replica.lifecycle.connected(machine)
      const entry = replicas.entries.get("billing-192.0.2.101-net-vm")
      const merged = { app: "billing", tier: "node", from: "group", zone: "template", host: "rack7" }
      assert.deepStrictEqual(entry?.metadata.labels, merged)
      assert.deepStrictEqual(entry?.spec, {
        address: "192.0.2.101",
        labels: merged,
        network: "net-vm",
        serviceAccount: "billing-vm"
      })
      assert.deepStrictEqual(endpoints(), ["192.0.2.101:80"])
    })
  )
})
