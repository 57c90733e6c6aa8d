import { assert, describe, it } from "@effect/vitest"
import { AddressQuarantine } from "./address-quarantine.ts"

describe("AddressQuarantine.turn", () => {
  it("gives an address once, when it was there long enough", () => {
    const quarantine = new AddressQuarantine(1000)
    assert.deepStrictEqual(quarantine.turn(["a"], 0), [])
    assert.deepStrictEqual(quarantine.turn(["a", "b"], 999), [])
    assert.strictEqual(quarantine.size, 2)
    assert.deepStrictEqual(quarantine.turn(["a", "b"], 1000), ["a"])
    assert.strictEqual(quarantine.size, 1)
  })

  it("begins anew for an address that somebody had meanwhile", () => {
    const quarantine = new AddressQuarantine(1000)
    quarantine.turn(["a"], 0)
    quarantine.turn([], 500)
    assert.deepStrictEqual(quarantine.turn(["a"], 1200), [])
    assert.deepStrictEqual(quarantine.turn(["a"], 2200), ["a"])
  })
})
