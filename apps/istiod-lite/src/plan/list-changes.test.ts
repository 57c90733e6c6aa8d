import { assert, describe, it } from "@effect/vitest"
import { fieldChanges, isUnchanged, listChanges } from "./list-changes.ts"

const telling = {
  name: (text: string) => text.toUpperCase(),
  difference: (before: string, now: string) => (before === now ? "" : `${before} → ${now}`)
}

describe("listChanges", () => {
  it("names what came, went and changed, sorted", () => {
    const before = new Map([
      ["1", "a"],
      ["2", "b"],
      ["3", "c"]
    ])
    const now = new Map([
      ["2", "b"],
      ["3", "d"],
      ["5", "z"],
      ["4", "e"]
    ])
    const changes = listChanges(before, now, telling)
    assert.deepEqual(changes, { added: ["E", "Z"], removed: ["A"], changed: ["D: c → d"] })
    assert.isFalse(isUnchanged(changes))
    assert.isTrue(isUnchanged(listChanges(now, now, telling)))
  })
})

describe("fieldChanges", () => {
  it("tells the fields that differ", () => {
    const before = { weight: 1, zone: "", labels: { v: "1" } }
    const now = { weight: 3, zone: "a", labels: { v: "1" } }
    assert.strictEqual(fieldChanges(before, now, ["weight", "zone", "labels"]), "weight 1 → 3, zone none → a")
  })
})
