import type { PushRequest } from "@istiod-lite/model"
import * as fc from "fast-check"

const name = fc.constantFrom("shop/a", "shop/b", "shop/c", "shop/d")
const names = fc.uniqueArray(name, { maxLength: 3 })

/** Push requests about few services, some of which lost an endpoint. */
export const anyRequest: fc.Arbitrary<PushRequest> = fc
  .record({
    full: fc.boolean(),
    services: names,
    endpoints: names,
    removals: names,
    proxies: fc.uniqueArray(fc.constantFrom("10.0.0.1", "10.0.0.2"), { maxLength: 2 }),
    since: fc.nat(1000)
  })
  .map(({ endpoints, full, proxies, removals, services, since }) => ({
    full,
    services: new Set(services),
    endpoints: new Set(endpoints),
    removals: new Set(removals.filter((name) => services.includes(name) || endpoints.includes(name))),
    proxies: new Set(proxies),
    reasons: new Map([["service", services.length + 1]]),
    since
  }))
