import { assert, describe, it } from "@effect/vitest"
import { integer, sample } from "fast-check"
import { propertySeed } from "./property-seed.ts"

describe("propertySeed", () => {
  it("is always the same unless one is given", () => {
    assert.strictEqual(propertySeed(undefined), propertySeed(""))
    assert.strictEqual(propertySeed("-42"), -42)
  })

  it("says what is wrong with one that is none", () => {
    assert.throws(() => propertySeed("1.5"), "ISTIOD_LITE_PROPERTY_SEED: 1.5 is not a whole number")
  })

  it("is that of every property, for it is set before each file of tests", () => {
    assert.deepEqual(sample(integer(), 20), sample(integer(), 20))
  })
})
