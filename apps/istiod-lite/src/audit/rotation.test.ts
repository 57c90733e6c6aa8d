import { assert, describe, it } from "@effect/vitest"
import { inTurn, Rotation } from "./rotation.ts"

describe("Rotation", () => {
  it("goes through all names before it begins anew, with those that came meanwhile", () => {
    const rotation = new Rotation()
    const names = new Set(["a", "b", "c"])
    const take = () => rotation.take(2, () => names)
    assert.deepEqual([take(), take()], [["a", "b"], ["c"]])
    names.add("d")
    assert.strictEqual(rotation.round, 0)
    assert.deepEqual(
      [take(), take()],
      [
        ["a", "b"],
        ["c", "d"]
      ]
    )
    assert.strictEqual(rotation.round, 1)
  })

  it("asks again each time where there is nothing", () => {
    const rotation = new Rotation()
    assert.deepEqual(
      rotation.take(2, () => new Set()),
      []
    )
    assert.deepEqual(
      rotation.take(2, () => new Set(["a"])),
      ["a"]
    )
  })
})

describe("inTurn", () => {
  it.each([
    [0, ["a", "b"]],
    [1, ["c", "d"]],
    [2, ["e", "a"]]
  ])("gives others in round %i", (round, expected) => {
    assert.deepEqual(inTurn(["a", "b", "c", "d", "e"], 2, round), expected)
  })

  it("gives all where they are few", () => {
    assert.deepEqual(inTurn(["a"], 2, 7), ["a"])
  })
})
