import { assert, describe, it } from "@effect/vitest"
import { mergePushRequests, type PushRequest } from "./xds.ts"

const request = (parts: Partial<PushRequest>): PushRequest => ({
  full: false,
  services: new Set(),
  endpoints: new Set(),
  proxies: new Set(),
  reasons: new Map(),
  since: 0,
  ...parts
})

describe("mergePushRequests", () => {
  const endpoints = request({
    endpoints: new Set(["shop/reviews"]),
    reasons: new Map([["endpoint", 2]]),
    since: 20
  })
  const service = request({
    services: new Set(["shop/cart"]),
    endpoints: new Set(["shop/cart"]),
    removals: new Set(["shop/cart"]),
    proxies: new Set(["10.0.0.1"]),
    reasons: new Map([
      ["endpoint", 1],
      ["service", 1]
    ]),
    since: 10
  })

  it("asks for what both ask, since the earlier", () => {
    assert.deepStrictEqual(mergePushRequests(endpoints, service), {
      full: false,
      services: new Set(["shop/cart"]),
      endpoints: new Set(["shop/reviews", "shop/cart"]),
      removals: new Set(["shop/cart"]),
      proxies: new Set(["10.0.0.1"]),
      reasons: new Map([
        ["endpoint", 3],
        ["service", 1]
      ]),
      since: 10
    })
  })

  it("does not depend on the order and changes neither", () => {
    assert.deepStrictEqual(mergePushRequests(service, endpoints), mergePushRequests(endpoints, service))
    assert.strictEqual(endpoints.endpoints.size, 1)
  })

  it("is full if one is", () => {
    assert.isTrue(mergePushRequests(endpoints, request({ full: true })).full)
  })
})
