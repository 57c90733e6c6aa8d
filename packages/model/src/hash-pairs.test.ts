import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { hasDuplicatePairs, hasDuplicatePairsSince } from "./hash-pairs.ts"

/** Hashes that are never two zeros, which mean an early yes. */
const list = fc
  .array(fc.integer({ min: 1, max: 60 }), { maxLength: 6 })
  .map((numbers) => Uint32Array.from(numbers.flatMap((n) => [n % 7, n])))

const lists = fc.array(list, { maxLength: 5 })

/** One hash for each number. */
const pairs = (from: number, to: number): Uint32Array =>
  Uint32Array.from({ length: 2 * (to - from) }, (_, i) => from + (i >> 1))

describe("hasDuplicatePairsSince", () => {
  it("says what hasDuplicatePairs says, whatever was replaced, added and taken away", () => {
    const answers = new Set<boolean>()
    fc.assert(
      fc.property(lists, lists, fc.array(fc.nat(9), { maxLength: 5 }), (unique, others, places) => {
        fc.pre(!hasDuplicatePairs(unique))
        // Some of the earlier lists, each once at most, and new ones between them.
        const taken = new Set<number>()
        const now = others.flatMap((other, i) => {
          const place = places[i] ?? 9
          const staying = taken.has(place) ? undefined : unique[place]
          taken.add(place)
          return staying === undefined ? [other] : [staying, other.slice(0, 2)]
        })
        const answer = hasDuplicatePairs(now)
        answers.add(answer)
        assert.strictEqual(hasDuplicatePairsSince(unique, now), answer)
      }),
      { numRuns: 2000 }
    )
    assert.strictEqual(answers.size, 2)
  })

  it("finds a hash that many new ones hide, and one in a list that was reordered", () => {
    const [a, b] = [pairs(1, 100), pairs(100, 200)]
    assert.isTrue(hasDuplicatePairsSince([a, b], [a, pairs(50, 200)]))
    assert.isFalse(hasDuplicatePairsSince([a, b], [a, pairs(200, 300)]))
    assert.isFalse(hasDuplicatePairsSince([a, b], [a, b.toReversed()]))
    assert.isTrue(hasDuplicatePairsSince([a, b], [a, Uint32Array.from([...b.toReversed(), 99, 99])]))
    assert.isTrue(hasDuplicatePairsSince([a, b], [a, a]))
  })
})

describe("hasDuplicatePairs", () => {
  it("does not count two zeros, which are no hash", () => {
    assert.isFalse(hasDuplicatePairs([new Uint32Array([0, 0, 0, 0, 0, 1])]))
    assert.isTrue(hasDuplicatePairs([new Uint32Array([0, 0, 0, 1]), new Uint32Array([0, 1])]))
    assert.isFalse(hasDuplicatePairsSince([], [new Uint32Array([0, 0, 0, 1, 0, 0])]))
  })
})
