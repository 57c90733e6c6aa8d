import { assert, it } from "@effect/vitest"
import { ratioToTarget } from "./figure.ts"
import { figureTable } from "./table.ts"

it("ratioToTarget is above 1 when the figure is better than its target", () => {
  assert.strictEqual(ratioToTarget({ name: "a", value: 2, unit: "µs", target: "4 (prototype)" }), 2)
  assert.strictEqual(
    ratioToTarget({ name: "a", value: 50, unit: "MB/s", target: "100", better: "higher" }),
    0.5
  )
  assert.isUndefined(ratioToTarget({ name: "a", value: 2, unit: "µs" }))
})

it("figureTable aligns columns and gives the ratio", () => {
  const lines = figureTable([
    { name: "one key", value: 2.45, unit: "µs", target: "4.9" },
    { name: "bytes", value: 1234567.8, unit: "B/s" }
  ]).split("\n")
  assert.deepStrictEqual(lines, [
    "figure       value  unit  target  ratio",
    "one key       2.45  µs    4.9        2×",
    "bytes    1,234,568  B/s"
  ])
})
