import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { isDeepStrictEqual } from "node:util"
import { equalValues } from "./equal-values.ts"

const value = fc.object({ maxDepth: 3, key: fc.constantFrom("a", "b", "c") })
const alike = value.chain((one) =>
  fc.tuple(fc.constant(one), fc.oneof(value, fc.constant(structuredClone(one))))
)

describe("equalValues", () => {
  it("agrees with isDeepStrictEqual about plain values", () => {
    fc.assert(fc.property(alike, ([a, b]) => assert.strictEqual(equalValues(a, b), isDeepStrictEqual(a, b))))
  })

  it("looks into maps, and compares the members of sets", () => {
    assert.isTrue(equalValues(new Map([["a", { b: 1 }]]), new Map([["a", { b: 1 }]])))
    assert.isFalse(equalValues(new Map([["a", { b: 1 }]]), new Map([["a", { b: 2 }]])))
    assert.isTrue(equalValues(new Set(["a", "b"]), new Set(["b", "a"])))
    assert.isFalse(equalValues(new Set(["a"]), new Set(["b"])))
  })

  it("tells an absent field from one that is undefined", () => {
    assert.isFalse(equalValues({ a: undefined }, { b: undefined }))
    assert.isFalse(equalValues({}, { a: undefined }))
    assert.isFalse(equalValues([], {}))
  })
})
