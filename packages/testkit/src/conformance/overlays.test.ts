import { assert, describe, it } from "@effect/vitest"
import { applyPatches } from "./overlays.ts"

const golden = { weights: [3, 3, 1] }
const drop = [
  { op: "test", path: "/weights/1", value: 3 },
  { op: "remove", path: "/weights/1" }
] as const

describe("applyPatches", () => {
  it("applies in order and tells the numbers", () => {
    assert.deepEqual(
      applyPatches(
        golden,
        [
          { d: "D-9", patch: drop },
          { d: "D-13 D-5", patch: drop.map((operation) => ({ ...operation, path: "/weights/0" })) }
        ],
        []
      ),
      { json: { weights: [1] }, applied: ["D-9", "D-13", "D-5"], faults: [] }
    )
    assert.deepEqual(golden, { weights: [3, 3, 1] })
  })

  it("demands a D-number", () => {
    assert.deepEqual(applyPatches(golden, [{ d: "", patch: drop }], []).faults, ["patch : has no D-number"])
  })

  it("demands a test before each change", () => {
    assert.lengthOf(applyPatches(golden, [{ d: "D-9", patch: drop.slice(1) }], []).faults, 1)
  })

  it("tells a patch that does not apply", () => {
    const { faults, json } = applyPatches({ weights: [3, 2] }, [{ d: "D-9", patch: drop }], [])
    assert.match(faults[0] ?? "", /^patch D-9: does not apply/)
    assert.deepEqual(json, { weights: [3, 2] })
  })

  it("tells a patch that changes nothing", () => {
    const patch = [
      { op: "test", path: "/weights/0", value: 3 },
      { op: "replace", path: "/weights/0", value: 3 }
    ] as const
    assert.deepEqual(applyPatches(golden, [{ d: "D-9", patch }], []).faults, ["patch D-9: changes nothing"])
  })
})
