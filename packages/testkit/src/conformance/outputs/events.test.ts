import { assert, describe, it } from "@effect/vitest"
import type { PushRequest } from "@istiod-lite/model"
import { proxy } from "@istiod-lite/model/testing"
import type { ClientChange } from "../../pushes/client-changes.ts"
import { differences } from "../differences.ts"
import type { Json } from "../json.ts"
import { eventsJson, eventsOrder, settleEvents } from "./events.ts"

const web = proxy({ id: "web-1.shop", ips: ["10.0.0.1"] })
const cart = "shop/cart.example"

const request = (fields: Partial<PushRequest>): PushRequest => ({
  full: false,
  services: new Set(),
  endpoints: new Set(),
  proxies: new Set(),
  reasons: new Map([["test", 1]]),
  since: 0,
  ...fields
})
const change = (of: ClientChange["of"]): ClientChange => ({
  proxy: web,
  of,
  name: "cart.example",
  hostnames: of === "self" ? [] : ["cart.example"]
})

/** Whether istiod's `events` allow what was pushed. */
const agrees = (
  events: Json,
  pushed: PushRequest | undefined,
  changes: ReadonlyArray<ClientChange> = [],
  missed: ReadonlyArray<ClientChange> = []
): boolean => {
  const actual = eventsJson({ clients: [web], request: pushed, changes, missed })
  return differences(settleEvents(events, actual), actual, eventsOrder).length === 0
}

const eds: Json = [{ type: "eds", namespace: "shop", hostname: "cart.example", endpoints: 1 }]
const service: Json = [{ type: "service", namespace: "shop", hostname: "cart.example", event: "add" }]
const push = (...configs: ReadonlyArray<string>): Json => [{ type: "push", configs, reasons: [] }]

describe("events agree in kind", () => {
  it("takes fewer pushes than istiod's (D-15)", () => {
    assert.isTrue(agrees(eds, undefined))
    assert.isTrue(agrees(service, request({ endpoints: new Set([cart]) })))
    assert.isTrue(agrees(push(), request({ services: new Set([cart]) })))
  })

  it("takes each kind for itself", () => {
    assert.isTrue(agrees(eds, request({ endpoints: new Set([cart]) })))
    assert.isTrue(agrees(service, request({ services: new Set([cart]) })))
    assert.isTrue(agrees(push(`ServiceEntry/${cart}`), request({ services: new Set([cart]) })))
    assert.isTrue(agrees(push(`DNSName/${cart}`), request({ endpoints: new Set([cart]) })))
    assert.isTrue(agrees(push(), request({ full: true })))
    assert.isTrue(agrees([{ type: "proxy", ip: "10.0.0.1" }], request({ proxies: new Set(["web-1.shop"]) })))
  })

  it("refuses more", () => {
    assert.isFalse(agrees([], request({ endpoints: new Set([cart]) })))
    assert.isFalse(agrees(eds, request({ services: new Set([cart]) })))
    assert.isFalse(agrees(eds, request({ endpoints: new Set(["shop/other.example"]) })))
    assert.isFalse(agrees(push(`DNSName/${cart}`), request({ services: new Set([cart]) })))
    assert.isFalse(agrees(service, request({ full: true })))
    assert.isFalse(agrees([{ type: "proxy", ip: "10.0.0.9" }], request({ proxies: new Set(["10.0.0.1"]) })))
  })

  it("does not count what only fills a cache", () => {
    const cache: Json = [{ type: "edsCache", namespace: "shop", hostname: "cart.example", endpoints: 1 }]
    assert.isFalse(agrees(cache, request({ endpoints: new Set([cart]) })))
  })

  it("takes more where a client sees a difference, of that kind", () => {
    assert.isTrue(agrees([], request({ endpoints: new Set([cart]) }), [change("assignment")]))
    assert.isFalse(agrees([], request({ services: new Set([cart]) }), [change("assignment")]))
    assert.isTrue(agrees([], request({ services: new Set([cart]) }), [change("service")]))
    assert.isTrue(agrees([], request({ proxies: new Set(["10.0.0.1"]) }), [change("self")]))
  })

  it("refuses a difference that no push named, whatever istiod did", () => {
    assert.isFalse(agrees(push(), undefined, [change("assignment")], [change("assignment")]))
  })
})
