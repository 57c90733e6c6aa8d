import { assert, describe, it } from "@effect/vitest"
import { layerControlPlane, MemorySource } from "@istiod-lite/testkit"
import { Effect, Layer, Logger, Metric } from "effect"
import { TestClock } from "effect/testing"
import { layerStaleness, staleSeconds } from "./layer-staleness.ts"

const seconds = (registry: string) =>
  Effect.map(Metric.value(Metric.withAttributes(staleSeconds, { registry })), ({ value }) => value)

describe("layerStaleness", () => {
  it.effect(
    "tells once that a registry is stale and that it is no longer, and counts the seconds between",
    () =>
      Effect.gen(function* () {
        const { removeCluster, store } = yield* Effect.map(MemorySource, (source) => ({
          store: source.store,
          removeCluster: (id: string) => source.removeCluster(id)
        }))
        const lines: Array<string> = []
        const logger = Logger.layer([Logger.make(({ message }) => void lines.push(String(message)))])
        yield* Layer.build(layerStaleness).pipe(Effect.provide(logger))
        yield* TestClock.adjust("5 seconds")
        assert.deepEqual([lines, yield* seconds("Kubernetes/east")], [[], 0])

        store.markStale("east", { since: 5000, because: "it does not answer" })
        yield* TestClock.adjust("20 seconds")
        assert.deepEqual(lines, [
          "Kubernetes/east is stale, its last known state is served: it does not answer"
        ])
        assert.strictEqual(yield* seconds("Kubernetes/east"), 20)
        assert.strictEqual(yield* seconds("Kubernetes/Kubernetes"), 0)

        store.markFresh("east")
        yield* TestClock.adjust("5 seconds")
        assert.deepEqual(
          [lines[1], yield* seconds("Kubernetes/east")],
          ["Kubernetes/east is up to date again", 0]
        )

        store.markStale("east", { since: 30_000, because: "it does not answer" })
        yield* TestClock.adjust("10 seconds")
        removeCluster("east")
        yield* TestClock.adjust("5 seconds")
        assert.strictEqual(yield* seconds("Kubernetes/east"), 0)
      }).pipe(
        Effect.provide(layerControlPlane({ clusters: ["east"] })),
        Effect.provideService(Metric.MetricRegistry, new Map())
      )
  )
})
