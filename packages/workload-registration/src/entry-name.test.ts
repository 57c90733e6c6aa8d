import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { entryName } from "./entry-name.ts"

const legal = /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/

describe("entryName", () => {
  it("is of group, address and network, as Istio's (cases 46, 47)", () => {
    assert.strictEqual(entryName("billing", "192.0.2.101", ""), "billing-192.0.2.101")
    assert.strictEqual(entryName("billing", "192.0.2.101", "net-vm"), "billing-192.0.2.101-net-vm")
    assert.strictEqual(entryName("billing", "2001:db8:7::15", "net-vm"), "billing-2001-db8-7--15-net-vm")
  })

  it("a long one is cut from the front, and stays unique and legal (case 47)", () => {
    const long = entryName(`a${"-b".repeat(124)}`, "192.0.2.102", "")
    const other = entryName(`c${"-b".repeat(124)}`, "192.0.2.102", "")
    assert.strictEqual(long.length, 253)
    assert.isTrue(long.endsWith("-192.0.2.102"))
    assert.notStrictEqual(long, other)
    assert.match(long, legal)
  })

  it("is legal, whatever a network is called", () => {
    assert.notStrictEqual(entryName("g", "192.0.2.1", "Net_1"), entryName("g", "192.0.2.1", "net-1"))
    fc.assert(
      fc.property(fc.ipV6(), fc.string({ maxLength: 300 }), (address, network) => {
        const name = entryName("billing", address, network)
        assert.match(name, legal)
        assert.isAtMost(name.length, 253)
      })
    )
  })
})
