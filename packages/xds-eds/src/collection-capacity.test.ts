import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { capacityFor, fits } from "./collection-capacity.ts"

const count = fc.integer({ min: 1, max: 100_000 })

describe("capacityFor", () => {
  it("leaves room to grow, at most a fifth of all", () => {
    fc.assert(
      fc.property(count, (n) => {
        const capacity = capacityFor(n)
        assert.isTrue(fits(n, capacity))
        assert.isTrue(fits(n + Math.floor(n / 16), capacity))
        assert.isAtMost(capacity, Math.max(16, 1.2 * n + 8))
      })
    )
  })

  it("is another one when the endpoints do not fit any more", () => {
    fc.assert(
      fc.property(count, count, (n, m) => {
        const capacity = capacityFor(n)
        assert.isTrue(fits(m, capacity) || capacityFor(m) !== capacity)
      })
    )
  })
})
