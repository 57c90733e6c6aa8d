import { assert, describe, it } from "@effect/vitest"
import { outboundCluster } from "@istiod-lite/mesh-policy"
import { ServiceDiscovery, type ServiceEndpoints } from "@istiod-lite/model"
import { layerControlPlane, MemorySource } from "@istiod-lite/testkit"
import { Context, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { controlPlane } from "../compose/plugins.ts"
import { type AuditedStream, auditedStream } from "../testing/audited-streams.ts"
import { pod, service, slice } from "../testing/manifests.ts"
import { audit } from "./audit.ts"
import { describeDrifts } from "./describe-drift.ts"
import { freshGenerator, makeRunning, type Running } from "./rebuild.ts"

const home = "Kubernetes"
const cart = outboundCluster("cart.shop.svc.cluster.local", 80)
const cartIn = (address: string) => [service("cart"), slice("cart", address), pod("cart-1", address)]

/** A control plane with one service, and what audits it. */
const makePlane = Effect.gen(function* () {
  const services = yield* Layer.build(layerControlPlane())
  const source = Context.get(services, MemorySource)
  const apply = (objects: ReadonlyArray<unknown>) =>
    source.transaction(() => objects.forEach((object) => source.apply(home, object)))
  apply(cartIn("10.20.0.1"))
  const running = yield* makeRunning(controlPlane()).pipe(Effect.provide(services))
  assert.isDefined(running)
  const generator = yield* freshGenerator(running, services)
  return { apply, generator, running, services }
})

/** The same, but what it serves of endpoints is from now on what it was: the planted fault. */
const forgetful = (running: Running): Running => {
  const discovery = Context.get(running.context, ServiceDiscovery)
  const kept = new Map<string, ServiceEndpoints>(discovery.endpoints.entries())
  const endpoints: typeof discovery.endpoints = Object.create(discovery.endpoints, {
    get: { value: (key: string) => kept.get(key) }
  })
  return { ...running, context: Context.add(running.context, ServiceDiscovery, { ...discovery, endpoints }) }
}

/** What comes of the work when time passes; `meanwhile` happens while it waits for pushes to arrive. */
const passing = Effect.fnUntraced(function* <A, E>(work: Effect.Effect<A, E>, meanwhile = () => {}) {
  const fiber = yield* Effect.forkChild(work)
  yield* TestClock.adjust("2 seconds")
  meanwhile()
  yield* TestClock.adjust("3 seconds")
  return yield* Fiber.join(fiber)
})

describe("audit", () => {
  it.effect("finds nothing where proxies have what the objects give", () =>
    Effect.gen(function* () {
      const { generator, running } = yield* makePlane
      const streams = ["web-1.shop", "web-2.bank"].map((who) => auditedStream(who, [cart], generator))
      assert.deepEqual(yield* audit(running, [cart], connectionsOf(streams)), { checked: 2, drifts: [] })
    })
  )

  it.effect("finds an endpoint that is served though its objects are gone, and one that is not served", () =>
    Effect.gen(function* () {
      const { apply, running } = yield* makePlane
      const faulty = forgetful(running)
      const served = yield* freshGenerator(faulty, faulty.context)
      const streams = ["web-1.shop", "web-2.bank"].map((who) => auditedStream(who, [cart], served))
      apply(cartIn("10.20.0.9"))
      const { checked, drifts } = yield* passing(audit(faulty, [cart], connectionsOf(streams)))
      assert.strictEqual(checked, 2)
      assert.deepEqual(describeDrifts(drifts), [
        `Audit: ${cart}, for web-1.shop, web-2.bank: 10.20.0.9:8080 (Pod shop/cart-1) is missing; ` +
          `10.20.0.1:8080 (Pod shop/cart-1) should be gone; ` +
          `differs in endpoints of EndpointSlice shop/cart-1 in Kubernetes/Kubernetes`
      ])
    })
  )

  it.effect("finds an endpoint that is served in another health", () =>
    Effect.gen(function* () {
      const { apply, running } = yield* makePlane
      const faulty = forgetful(running)
      const stream = auditedStream("web-1.shop", [cart], yield* freshGenerator(faulty, faulty.context))
      apply([
        slice("cart", "10.20.0.1", { conditions: { ready: false, serving: false, terminating: false } })
      ])
      const { drifts } = yield* passing(audit(faulty, [cart], connectionsOf([stream])))
      assert.match(
        describeDrifts(drifts).join(),
        /10\.20\.0\.1:8080 \(Pod shop\/cart-1\) has health HEALTHY instead of UNHEALTHY; differs in endpoints/
      )
    })
  )

  it.effect("finds a proxy that was not sent what is served", () =>
    Effect.gen(function* () {
      const { apply, generator, running } = yield* makePlane
      const [told, forgotten] = ["web-1.shop", "web-2.bank"].map((who) =>
        auditedStream(who, [cart], generator)
      )
      assert.isDefined(told)
      assert.isDefined(forgotten)
      apply(cartIn("10.20.0.9"))
      told.update(generator)
      const { drifts } = yield* passing(audit(running, [cart], connectionsOf([told, forgotten])))
      assert.deepEqual(
        drifts.map(({ kind, name, who }) => ({ kind, name, who })),
        [{ kind: "unsent", name: cart, who: "web-2.bank" }]
      )
      assert.match(describeDrifts(drifts).join(), /has version \S+, and no push brought \S+, which is/)
    })
  )

  it.effect("takes no change for a drift that arrives, or comes, while it waits", () =>
    Effect.gen(function* () {
      const { apply, generator, running } = yield* makePlane
      const streams = ["web-1.shop", "web-2.bank"].map((who) => auditedStream(who, [cart], generator))
      apply(cartIn("10.20.0.2"))
      const arrives = audit(running, [cart], connectionsOf(streams))
      assert.deepEqual(yield* passing(arrives, () => streams.forEach((stream) => stream.update(generator))), {
        checked: 2,
        drifts: []
      })
      apply(cartIn("10.20.0.3"))
      const comes = audit(running, [cart], connectionsOf(streams))
      assert.deepEqual((yield* passing(comes, () => apply(cartIn("10.20.0.4")))).drifts, [])
    })
  )

  it.effect("leaves streams alone to which something is on its way", () =>
    Effect.gen(function* () {
      const { apply, generator, running } = yield* makePlane
      const stream = auditedStream("web-1.shop", [cart], generator)
      apply(cartIn("10.20.0.2"))
      stream.stall()
      assert.deepEqual(yield* audit(running, [cart], connectionsOf([stream])), { checked: 0, drifts: [] })
    })
  )
})

const connectionsOf = (streams: ReadonlyArray<AuditedStream>) => () => streams.map(({ info }) => info())
