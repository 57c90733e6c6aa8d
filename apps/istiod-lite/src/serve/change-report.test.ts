import { assert, describe, it } from "@effect/vitest"
import { ChangeReport } from "./change-log.ts"

describe("ChangeReport", () => {
  it("tells one change and its push in one line", () => {
    const report = new ChangeReport()
    report.lines.push("shop/cart: 2 → 1 endpoint (cart-1 not ready)")
    report.pushed("a", 1)
    report.pushed("b", 3)
    report.pushed("b", 2)
    assert.deepEqual(report.take(), [
      "shop/cart: 2 → 1 endpoint (cart-1 not ready), pushed to 2 proxies in 3 ms"
    ])
    assert.deepEqual(report.take(), [])
  })

  it("tells several changes, then the push", () => {
    const report = new ChangeReport()
    report.lines.push("one", "two")
    report.pushed("a", 0)
    assert.deepEqual(report.take(), ["one", "two", "pushed to 1 proxy in under 1 ms"])
  })

  it("counts the rest of many", () => {
    const report = new ChangeReport()
    for (let i = 0; i < 30; i++) report.lines.push(`change ${i}`)
    const lines = report.take()
    assert.lengthOf(lines, 21)
    assert.strictEqual(lines.at(-1), "… and 10 more changes")
  })

  it("has nothing to tell of pushes that no change explains", () => {
    const report = new ChangeReport()
    report.pushed("a", 1)
    assert.deepEqual(report.take(), [])
  })
})
