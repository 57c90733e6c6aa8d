import { assert, describe, it } from "@effect/vitest"
import { isAlike } from "./is-alike.ts"

describe("isAlike", () => {
  it.each([
    ["cart", "carts", true],
    ["erp", "erp-vm", true],
    ["orders", "ordres", true],
    ["orders", "oders", true],
    ["orders", "ordars", true],
    ["orders", "Orders", true],
    ["orders", "others", false],
    ["v1", "v2", false],
    ["cart", "", false],
    ["cart", undefined, false]
  ] as const)("%s, %s: %s", (wanted, actual, expected) => {
    assert.strictEqual(isAlike(wanted, actual), expected)
  })
})
