import { assert, describe, it } from "@effect/vitest"
import { ChangeLog } from "./change-log.ts"

describe("ChangeLog", () => {
  it("tells what changed since a generation, each place once", () => {
    const log = new ChangeLog(10)
    const before = log.generation
    log.add([1, 2])
    const between = log.generation
    log.add([2, 3])
    assert.deepStrictEqual(log.since(before), new Set([1, 2, 3]))
    assert.deepStrictEqual(log.since(between), new Set([2, 3]))
    assert.deepStrictEqual(log.since(log.generation), new Set())
  })

  it("does not know what it has forgotten", () => {
    const log = new ChangeLog(3)
    const before = log.generation
    log.add([1, 2])
    const between = log.generation
    log.add([3, 4])
    assert.isUndefined(log.since(before))
    assert.deepStrictEqual(log.since(between), new Set([3, 4]))
    log.add([5, 6, 7, 8])
    assert.isUndefined(log.since(between))
    assert.deepStrictEqual(log.since(log.generation), new Set())
  })
})
