import { assert, describe, it } from "@effect/vitest"
import { FairTurns, type Work } from "./turns.ts"

/** Turns whose time and event loop the test moves. */
const setup = () => {
  let time = 0
  const later: Array<() => void> = []
  const done: Array<string> = []
  const turns = new FairTurns(
    () => time,
    (run) => void later.push(run)
  )
  const work = (name: string, milliseconds: number): Work => ({
    run: () => {
      time += milliseconds
      done.push(name)
    }
  })
  /** Does what has piled up for the next turn; how much was it? */
  const nextTurn = (): number => {
    const due = later.splice(0)
    for (const run of due) run()
    return due.length
  }
  return { turns, done, work, nextTurn }
}

describe("FairTurns", () => {
  it("does work at once while the turn has time left", () => {
    const { done, nextTurn, turns, work } = setup()
    turns.run(work("a", 4))
    turns.run(work("b", 4))
    assert.deepEqual(done, ["a", "b"])
    assert.strictEqual(nextTurn(), 1)
    assert.strictEqual(nextTurn(), 0)
  })

  it("lets what exceeds a turn wait in line, each once, over as many turns as it takes", () => {
    const { done, nextTurn, turns, work } = setup()
    const [a, b, c, d] = ["a", "b", "c", "d"].map((name) => work(name, 8))
    for (const one of [a, b, c, d, c, d]) turns.run(one!)
    assert.deepEqual(done, ["a", "b"])
    nextTurn()
    assert.deepEqual(done, ["a", "b", "c", "d"])
    assert.strictEqual(nextTurn(), 0)
    turns.run(c!)
    assert.deepEqual(done, ["a", "b", "c", "d"])
    nextTurn()
    assert.deepEqual(done, ["a", "b", "c", "d", "c"])
  })

  it("does what goes first before all that waits, at once where the turn has time left", () => {
    const { done, nextTurn, turns, work } = setup()
    const [a, b, c] = ["a", "b", "c"].map((name) => work(name, 10))
    for (const one of [a, b, c]) turns.run(one!)
    turns.run(c!, true)
    const d = work("d", 0)
    turns.run(d, true)
    assert.deepEqual(done, ["a"])
    nextTurn()
    assert.deepEqual(done, ["a", "c"])
    turns.run(work("e", 0))
    nextTurn()
    assert.deepEqual(done, ["a", "c", "d", "b"])
    nextTurn()
    assert.deepEqual(done, ["a", "c", "d", "b", "e"])
  })

  it("does what goes first in a turn that has time left, although others wait", () => {
    const { done, nextTurn, turns, work } = setup()
    for (const name of ["a", "b", "c"]) turns.run(work(name, 6))
    assert.deepEqual(done, ["a", "b"])
    nextTurn()
    turns.run(work("d", 5))
    turns.run(work("e", 5))
    assert.deepEqual(done, ["a", "b", "c", "d"])
    nextTurn()
    turns.run(work("f", 0), true)
    assert.deepEqual(done, ["a", "b", "c", "d", "e", "f"])
  })

  it("does not let newer work pass what waits", () => {
    const { done, nextTurn, turns, work } = setup()
    turns.run(work("a", 10))
    turns.run(work("b", 10))
    turns.run(work("c", 0))
    assert.deepEqual(done, ["a"])
    nextTurn()
    turns.run(work("d", 0))
    assert.deepEqual(done, ["a", "b"])
    nextTurn()
    assert.deepEqual(done, ["a", "b", "c", "d"])
  })
})
