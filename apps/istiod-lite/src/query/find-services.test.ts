import { assert, describe, it } from "@effect/vitest"
import { entryService, service } from "@istiod-lite/model/testing"
import { findServices } from "./find-services.ts"

const services = [
  service({ hostname: "cart.shop.svc.cluster.local", namespace: "shop" }),
  service({ hostname: "cart.test.svc.cluster.local", namespace: "test" }),
  entryService({ hostname: "cart.shop", namespace: "legacy" }),
  entryService({ hostname: "cartoon.example", namespace: "legacy" })
]
const find = (host: string) => findServices(services, host).map(({ hostname }) => hostname)

describe("findServices", () => {
  it.each([
    ["cart.test.svc.cluster.local", ["cart.test.svc.cluster.local"]],
    ["CART.test.svc.cluster.local.", ["cart.test.svc.cluster.local"]],
    ["cart.test", ["cart.test.svc.cluster.local"]],
    ["cart", ["cart.shop", "cart.shop.svc.cluster.local", "cart.test.svc.cluster.local"]],
    ["cart.shop", ["cart.shop"]],
    ["car", []]
  ])("%s is %s", (host, hostnames) => {
    assert.deepEqual(find(host), hostnames)
  })
})
