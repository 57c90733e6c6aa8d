import { assert, describe, it } from "@effect/vitest"
import { type Annotations, claimed, claimIn, released } from "./connection-state.ts"

const connected = (controller: string, at: number): Annotations => ({
  other: "stays",
  "istio.io/workloadController": controller,
  "istio.io/connectedAt": new Date(at).toISOString()
})
const away = (controller: string, at: number): Annotations => ({
  other: "stays",
  "istio.io/workloadController": controller,
  "istio.io/disconnectedAt": new Date(at).toISOString()
})
const claim = (controller: string, connectedAt: number) => ({ controller, connectedAt })

describe("claimed", () => {
  it("counts for an entry that nobody has", () => {
    assert.deepStrictEqual(claimed({ other: "stays" }, claim("a", 5)), connected("a", 5))
  })

  it("the newer connection counts; of two of one age the one of the later name", () => {
    assert.deepStrictEqual(claimed(connected("a", 5), claim("b", 6)), connected("b", 6))
    assert.isUndefined(claimed(connected("b", 6), claim("a", 5)))
    assert.deepStrictEqual(claimed(connected("a", 5), claim("b", 5)), connected("b", 5))
    assert.isUndefined(claimed(connected("b", 5), claim("a", 5)))
  })

  it("is written once", () => {
    assert.isUndefined(claimed(connected("a", 5), claim("a", 5)))
    assert.isUndefined(claimed(connected("a", 7), claim("a", 5)))
    assert.deepStrictEqual(claimed(connected("a", 5), claim("a", 7)), connected("a", 7))
  })

  it("a connection that lives counts more than the end of another, and its time never goes back", () => {
    assert.deepStrictEqual(claimed(away("b", 9), claim("a", 5)), connected("a", 9))
  })

  it("a time that is none is no connection", () => {
    assert.isUndefined(claimIn({ "istio.io/connectedAt": "yesterday" }))
  })
})

describe("released", () => {
  it("marks the end", () => {
    assert.deepStrictEqual(released(connected("a", 5), claim("a", 5), 9), away("a", 9))
  })

  it("of a connection that was overtaken, here or elsewhere, is no news (case 52)", () => {
    assert.isUndefined(released(connected("b", 6), claim("a", 5), 9))
    assert.isUndefined(released(connected("a", 6), claim("a", 5), 9))
    assert.isUndefined(released(away("a", 6), claim("a", 5), 9))
  })
})
