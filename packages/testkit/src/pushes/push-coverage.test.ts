import { assert, describe, it } from "@effect/vitest"
import type { PushRequest } from "@istiod-lite/model"
import { proxy } from "@istiod-lite/model/testing"
import type { ClientChange } from "./client-changes.ts"
import { covers } from "./push-coverage.ts"

const web = proxy({ id: "web-1.shop", name: "web-1", namespace: "shop", ips: ["10.0.0.1"] })
const cart = new Set(["shop/cart.example"])

const request = (fields: Partial<PushRequest>): PushRequest => ({
  full: false,
  services: new Set(),
  endpoints: new Set(),
  proxies: new Set(),
  reasons: new Map(),
  since: 0,
  ...fields
})
const change = (of: ClientChange["of"]): ClientChange => ({
  proxy: web,
  of,
  name: "",
  hostnames: of === "self" ? [] : ["cart.example"]
})

describe("covers", () => {
  it("is true for everything, and for everything about a proxy that is named", () => {
    for (const of of ["assignment", "service", "targets", "self"] as const) {
      assert.isTrue(covers(request({ full: true }), change(of)))
      for (const name of ["web-1.shop", "10.0.0.1"])
        assert.isTrue(covers(request({ proxies: new Set([name]) }), change(of)))
    }
  })

  it("takes a service for all about it, and its endpoints for all but its definition", () => {
    for (const of of ["assignment", "targets"] as const) {
      assert.isTrue(covers(request({ services: cart }), change(of)))
      assert.isTrue(covers(request({ endpoints: cart }), change(of)))
    }
    assert.isTrue(covers(request({ services: cart }), change("service")))
    assert.isFalse(covers(request({ endpoints: cart }), change("service")))
  })

  it("is false for what the request does not name", () => {
    assert.isFalse(covers(request({ services: cart, endpoints: cart }), change("self")))
    assert.isFalse(covers(request({ services: new Set(["shop/other.example"]) }), change("assignment")))
    assert.isFalse(covers(request({ proxies: new Set(["10.0.0.2"]) }), change("targets")))
  })
})
