import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { Outstanding } from "./outstanding.ts"

describe("Outstanding", () => {
  it("is behind since the oldest change that was sent and not acknowledged", () => {
    const outstanding = new Outstanding()
    assert.isUndefined(outstanding.since)
    outstanding.sent("1", 100)
    outstanding.sent("2", 200)
    assert.strictEqual(outstanding.since, 100)
    assert.strictEqual(outstanding.acknowledged("1"), 100)
    assert.strictEqual(outstanding.since, 200)
    assert.strictEqual(outstanding.acknowledged("2"), 200)
    assert.isUndefined(outstanding.since)
  })

  it("takes an ACK for one of all that was sent before, and knows no others", () => {
    const outstanding = new Outstanding()
    outstanding.sent("1", 150)
    outstanding.sent("2", 100)
    assert.isUndefined(outstanding.acknowledged("0"))
    assert.strictEqual(outstanding.acknowledged("2"), 100)
    assert.isUndefined(outstanding.acknowledged("1"))
  })

  it("forgets neither the oldest change nor the last response of a client that acknowledges nothing", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(1000), { minLength: 1, maxLength: 300, size: "max" }), (times) => {
        const outstanding = new Outstanding()
        // Changes come one after the other.
        const since = times.toSorted((a, b) => a - b)
        for (const [i, time] of since.entries()) outstanding.sent(String(i), time)
        assert.strictEqual(outstanding.since, since[0])
        assert.strictEqual(outstanding.acknowledged(String(since.length - 1)), since[0])
        assert.isUndefined(outstanding.since)
      })
    )
  })
})
