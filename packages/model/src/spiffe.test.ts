import { assert, describe, it } from "@effect/vitest"
import { spiffeUri } from "./mesh-config.ts"
import { parseSpiffeUri } from "./spiffe.ts"

describe("parseSpiffeUri", () => {
  it("reads what spiffeUri writes", () => {
    assert.deepStrictEqual(parseSpiffeUri(spiffeUri("cluster.local", "shop", "web")), {
      trustDomain: "cluster.local",
      namespace: "shop",
      serviceAccount: "web"
    })
  })

  it.each([
    "",
    "spiffe://cluster.local",
    "spiffe://cluster.local/shop/web",
    "spiffe://cluster.local/ns/shop/sa/",
    "spiffe://cluster.local/ns//sa/web",
    "spiffe:///ns/shop/sa/web",
    "spiffe://cluster.local/ns/shop/sa/web/extra",
    "spiffe://cluster.local/ns/shop/sa/web\n",
    '"spiffe://cluster.local/ns/shop/sa/web"',
    "https://cluster.local/ns/shop/sa/web"
  ])("refuses %j", (uri) => {
    assert.isUndefined(parseSpiffeUri(uri))
  })
})
