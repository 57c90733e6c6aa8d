import { assert, describe, it } from "@effect/vitest"
import { momentText, parseMoment } from "./moment.ts"

const day = new Date(2026, 10, 30, 17, 0).getTime()
const at = (...clock: readonly [number, number, number?, number?]) => {
  const [hours, minutes, seconds = 0, milliseconds = 0] = clock
  return new Date(2026, 10, 30, hours, minutes, seconds, milliseconds).getTime()
}

describe("parseMoment", () => {
  it("reads a time of the recording's day, and full dates", () => {
    assert.strictEqual(parseMoment("14:03", day), at(14, 3))
    assert.strictEqual(parseMoment("9:03:20", day), at(9, 3, 20))
    assert.strictEqual(parseMoment("14:03:20.5", day), at(14, 3, 20, 500))
    assert.strictEqual(parseMoment("2026-11-30T14:03:00Z", day), Date.UTC(2026, 10, 30, 14, 3))
    assert.strictEqual(parseMoment(momentText(at(14, 3, 20, 7)), day), at(14, 3, 20, 7))
  })

  it("reads nothing else", () => {
    for (const text of ["", "noon", "25:00", "14:61", "14", "2026-13-45"])
      assert.isUndefined(parseMoment(text, day))
  })
})
