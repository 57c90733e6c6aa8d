import { assert, describe, it } from "@effect/vitest"
import { concatBytes } from "@istiod-lite/xds-proto"
import * as fc from "fast-check"
import { haveEqualBytes, JoinedResource } from "./joined-resource.ts"

const joined = (...parts: ReadonlyArray<Uint8Array>) => new JoinedResource("a", "1", parts)

/** The bytes cut at some places, which may be the same ones. */
const cut = (bytes: Uint8Array, places: ReadonlyArray<number>): ReadonlyArray<Uint8Array> => {
  const ends = places.map((place) => place % (bytes.length + 1)).toSorted((a, b) => a - b)
  return [...ends, bytes.length].map((end, i) => bytes.subarray(ends[i - 1] ?? 0, end))
}

const bytes = fc.uint8Array({ maxLength: 12, max: 1 })
const places = fc.array(fc.nat(20), { maxLength: 4 })

describe("JoinedResource", () => {
  it("puts its parts together once", () => {
    const resource = joined(new Uint8Array([1, 2]), new Uint8Array(), new Uint8Array([3]))
    assert.deepEqual([...resource.bytes], [1, 2, 3])
    assert.strictEqual(resource.bytes, resource.bytes)
  })
})

describe("haveEqualBytes", () => {
  it("finds what comparing the whole finds, wherever parts end", () => {
    fc.assert(
      fc.property(bytes, bytes, places, places, (a, b, inA, inB) => {
        const left = joined(...cut(a, inA))
        assert.isTrue(haveEqualBytes(left, joined(...cut(a, inB))))
        assert.isTrue(haveEqualBytes(left, { name: "a", version: "2", bytes: a }))
        const expected = Buffer.compare(concatBytes([a]), b) === 0
        assert.strictEqual(haveEqualBytes(left, joined(...cut(b, inB))), expected)
      }),
      { numRuns: 2000 }
    )
  })
})
