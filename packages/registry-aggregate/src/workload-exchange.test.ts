import { assert, describe, it } from "@effect/vitest"
import {
  DiscoveryGraph,
  labelKey,
  WorkloadExchange,
  type WorkloadInstance,
  workloadKey
} from "@istiod-lite/model"
import { workload } from "@istiod-lite/model/testing"
import { Effect, Layer } from "effect"
import { layerWorkloadExchange } from "./workload-exchange.ts"

const layer = layerWorkloadExchange.pipe(Layer.provideMerge(DiscoveryGraph.layer))

describe("layerWorkloadExchange", () => {
  it.effect("finds what registries contribute by label and by IP, until they withdraw it", () =>
    Effect.gen(function* () {
      const graph = yield* DiscoveryGraph
      const exchange = yield* WorkloadExchange
      const machines = graph.source<WorkloadInstance>("machines")
      const withdraw = exchange.contribute(machines)
      const machine = workload({ facts: { labels: { app: "erp" }, addresses: ["192.0.2.1", "2001:db8::1"] } })
      const named = workload({ name: "db", addressKind: "hostname", facts: { addresses: ["db.example"] } })
      for (const one of [machine, named]) machines.set(workloadKey(one), one)
      assert.deepEqual(
        exchange.byLabel.lookup(labelKey("shop", "app", "erp")).map(([, { name }]) => name),
        ["erp-1"]
      )
      assert.deepEqual(
        [...exchange.byIp.keys()].toSorted((a, b) => a.length - b.length),
        ["192.0.2.1", "2001:db8::1"]
      )
      withdraw()
      assert.strictEqual(exchange.all.size, 0)
      assert.deepEqual([...exchange.byIp.keys()], [])
    }).pipe(Effect.provide(layer))
  )
})
