import { assert, describe, it } from "@effect/vitest"
import type { Endpoint, ServiceEndpoints } from "@istiod-lite/model"
import { endpoint } from "@istiod-lite/model/testing"
import * as fc from "fast-check"
import { endpointChangeText, shortName } from "./endpoint-changes.ts"

const pod = (name: string, fields: Partial<Endpoint> = {}): Endpoint =>
  endpoint({
    addresses: [`10.0.0.${name.length}${name.charCodeAt(name.length - 1) % 10}`],
    origin: { kind: "Pod", name, namespace: "shop", creationTime: "2026-03-01T08:00:00Z" },
    ...fields
  })

const cart = (...endpoints: ReadonlyArray<Endpoint>): ServiceEndpoints => ({
  hostname: "cart.shop.svc.cluster.local",
  namespace: "shop",
  groups: [{ hostname: "cart.shop.svc.cluster.local", namespace: "shop", shard: "Kubernetes/k", endpoints }],
  serviceAccounts: []
})

const cartOf = (...lists: ReadonlyArray<ReadonlyArray<Endpoint>>): ServiceEndpoints => ({
  ...cart(),
  groups: lists.flatMap((endpoints) => cart(...endpoints).groups)
})

const changed = (old: ServiceEndpoints, now: ServiceEndpoints | undefined) =>
  endpointChangeText({ key: "k", old, now })

describe("endpointChangeText", () => {
  it("names who comes and who goes, and counts who takes requests", () => {
    const text = changed(
      cart(pod("cart-1"), pod("cart-2")),
      cart(pod("cart-1"), pod("cart-3"), pod("cart-4"))
    )
    assert.strictEqual(text, "shop/cart: 2 → 3 endpoints (+ cart-3, + cart-4, - cart-2)")
  })

  it.each([
    ["UNHEALTHY", "shop/cart: 2 → 1 endpoint (cart-2 not ready)"],
    ["DRAINING", "shop/cart: 2 → 1 endpoint (cart-2 draining)"],
    ["TERMINATING", "shop/cart: 2 → 1 endpoint (cart-2 terminating)"]
  ] as const)("tells that a pod is %s", (health, expected) => {
    const text = changed(cart(pod("cart-1"), pod("cart-2")), cart(pod("cart-1"), pod("cart-2", { health })))
    assert.strictEqual(text, expected)
  })

  it("tells that a machine was asked to drain, which its health does not say", () => {
    const drained = pod("erp-1", { health: "UNKNOWN", labels: { "istio.io/draining": "true" } })
    const text = changed(cart(pod("erp-1", { health: "UNKNOWN" }), pod("erp-2")), cart(drained, pod("erp-2")))
    assert.strictEqual(text, "shop/cart: 2 → 1 endpoint (erp-1 draining)")
  })

  it("tells a new weight, which changes no count", () => {
    const text = changed(cart(pod("erp-1", { weight: 1 })), cart(pod("erp-1", { weight: 3 })))
    assert.strictEqual(text, "shop/cart: 1 endpoint (erp-1 weight 3)")
  })

  it("names a pod once, however many ports it has", () => {
    const two = [pod("cart-1"), pod("cart-1", { port: 9090, servicePortName: "grpc" })]
    assert.strictEqual(changed(cart(), cart(...two)), "shop/cart: 0 → 1 endpoint (+ cart-1)")
  })

  it("only counts the rest of many", () => {
    const names = ["a-1", "b-22", "c-333", "d-4444", "e-55555"]
    assert.match(changed(cart(), cart(...names.map((name) => pod(name)))) ?? "", /c-333, and 2 more\)$/)
  })

  it("has nothing to tell when a person would see no change, or the service is gone", () => {
    assert.isUndefined(changed(cart(pod("cart-1")), cart(pod("cart-1", { labels: { version: "v2" } }))))
    assert.isUndefined(changed(cart(pod("cart-1")), undefined))
  })
})

describe("shortName", () => {
  it("leaves out what is the same for all Kubernetes services", () => {
    assert.strictEqual(shortName("shop", "cart.shop.svc.cluster.local"), "shop/cart")
    assert.strictEqual(shortName("legacy", "erp.example.internal"), "legacy/erp.example.internal")
  })
})

/** States of one group. A name stands in one group at a time, as joined endpoints have it, but may have several ports. */
const versionsOf = (names: ReadonlyArray<string>) => {
  const one = fc
    .record({
      of: fc.constantFrom(...names),
      port: fc.constantFrom(80, 90),
      health: fc.constantFrom<Endpoint["health"]>("HEALTHY", "UNHEALTHY")
    })
    .map(({ health, of, port }) => pod(of, { health, port }))
  return fc.array(fc.array(one, { maxLength: 3 }), { minLength: 1, maxLength: 3 })
}

describe("endpointChangeText over histories", () => {
  it("tells of a state that follows what it tells of one that was never seen before", () => {
    const history = fc
      .tuple(versionsOf(["a", "b"]), versionsOf(["cc", "dd"]), versionsOf(["eee"]))
      .chain((versions) => {
        const groups = versions.map((lists) => [[], ...cartOf(...lists).groups.map((group) => [group])])
        const state = fc.tuple(...groups.map((of) => fc.constantFrom(...of))).map((chosen) => chosen.flat())
        return fc.array(state, { minLength: 2, maxLength: 6 })
      })
    fc.assert(
      fc.property(history, (states) => {
        let old = cartOf()
        for (const groups of states) {
          const now = { ...cartOf(), groups }
          assert.strictEqual(changed(old, now), changed(structuredClone(old), structuredClone(now)))
          old = now
        }
      }),
      { numRuns: 500 }
    )
  })
})
