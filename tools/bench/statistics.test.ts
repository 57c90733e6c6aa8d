import { assert, it } from "@effect/vitest"
import { median, ratioOf, spreadOf } from "./statistics.ts"

const rounds = (...values: ReadonlyArray<number>) => values.map((value, round) => ({ round, value }))

it("median is the middle of sorted values", () => {
  assert.strictEqual(median([10, 9, 100]), 10)
  assert.strictEqual(median([4, 1, 2, 100]), 3)
  assert.isNaN(median([]))
})

it("spreadOf gives median and ends, and nothing of nothing", () => {
  assert.deepStrictEqual(spreadOf([3, 1, 2]), { median: 2, min: 1, max: 3, values: [3, 1, 2] })
  assert.isUndefined(spreadOf([]))
})

it("ratioOf divides medians, and says how far the rounds are apart", () => {
  assert.deepStrictEqual(ratioOf(rounds(1, 2, 3), rounds(10, 5, 10)), { ofMedians: 0.2, min: 0.1, max: 0.4 })
})

it("ratioOf compares within rounds in which both were measured", () => {
  const ours = [{ round: 1, value: 4 }]
  const theirs = [
    { round: 0, value: 8 },
    { round: 2, value: 16 }
  ]
  assert.deepStrictEqual(ratioOf(ours, theirs), { ofMedians: 1 / 3, min: 1 / 3, max: 1 / 3 })
  const both = [...theirs, { round: 1, value: 16 }]
  assert.deepStrictEqual(ratioOf(ours, both), { ofMedians: 0.25, min: 0.25, max: 0.25 })
})

it("ratioOf is undefined where nothing can be divided", () => {
  assert.isUndefined(ratioOf([], rounds(1)))
  assert.isUndefined(ratioOf(rounds(1), []))
  assert.isUndefined(ratioOf(rounds(1), rounds(0)))
})
