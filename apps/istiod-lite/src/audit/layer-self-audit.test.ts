import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Layer, Logger, Metric } from "effect"
import { TestClock } from "effect/testing"
import { outboundCluster } from "@istiod-lite/mesh-policy"
import { layerDiscovery } from "../compose/layer-discovery.ts"
import { controlPlane } from "../compose/plugins.ts"
import { auditedStream } from "../testing/audited-streams.ts"
import { shopSource } from "../testing/shop-source.ts"
import { auditMetrics } from "./audit-metrics.ts"
import { layerSelfAudit } from "./layer-self-audit.ts"
import { freshGenerator, makeRunning } from "./rebuild.ts"

const cart = outboundCluster("cart.shop.svc.cluster.local", 80)
const plugins = controlPlane()

/** Audits each minute a proxy that holds what is served, and one that holds nothing. */
const audited = (interval: Duration.Duration) =>
  Effect.gen(function* () {
    const lines: Array<string> = []
    const running = yield* makeRunning(plugins)
    assert.isDefined(running)
    const generator = yield* freshGenerator(running, running.context)
    const right = auditedStream("web-1.shop", [cart], generator)
    const nothing = auditedStream("web-2.shop", [cart], { ...generator, generate: () => [] })
    const connections = () => [right.info(), nothing.info()]
    const logger = Logger.layer([Logger.make(({ message }) => void lines.push(String(message)))])
    yield* Layer.build(layerSelfAudit({ interval, plugins, connections })).pipe(Effect.provide(logger))
    return lines
  })

const count = (metric: (typeof auditMetrics)["checked" | "drift"]) =>
  Effect.map(Metric.value(metric), ({ count: counted }) => counted)
const unsent = Metric.withAttributes(auditMetrics.drift, { kind: "unsent" })

describe("layerSelfAudit", () => {
  it.effect("logs and counts a drift each time that it is found", () =>
    Effect.gen(function* () {
      const lines = yield* audited(Duration.minutes(1))
      yield* TestClock.adjust("59 seconds")
      assert.strictEqual(yield* count(auditMetrics.checked), 0)
      yield* TestClock.adjust("1 second")
      yield* TestClock.adjust("5 seconds")
      assert.lengthOf(lines, 1)
      assert.match(
        lines[0] ?? "",
        /^Audit: outbound\|80\|\|cart\S+, for web-2\.shop: has nothing, and no push/
      )
      assert.strictEqual(yield* count(auditMetrics.checked), 2)
      assert.strictEqual((yield* Metric.value(unsent)).count, 1)
      assert.strictEqual((yield* Metric.value(auditMetrics.duration)).count, 1)
      yield* TestClock.adjust("1 minute")
      yield* TestClock.adjust("5 seconds")
      assert.lengthOf(lines, 2)
      assert.strictEqual(yield* count(auditMetrics.checked), 4)
    }).pipe(
      Effect.provide(layerDiscovery(plugins, shopSource)),
      Effect.provideService(Metric.MetricRegistry, new Map())
    )
  )

  it.effect("does nothing where the interval is zero", () =>
    Effect.gen(function* () {
      const lines = yield* audited(Duration.zero)
      yield* TestClock.adjust("1 hour")
      assert.deepEqual(lines, [])
    }).pipe(Effect.provide(layerDiscovery(plugins, shopSource)))
  )
})
