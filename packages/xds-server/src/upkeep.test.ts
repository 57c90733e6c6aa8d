import { assert, describe, it } from "@effect/vitest"
import { Upkeep } from "./upkeep.ts"

const limits = { keepaliveTime: 30, keepaliveTimeout: 10, maxAge: 100, maxAgeGrace: 10 }

/** What is done at which time, when the client has sent so much. */
const steps = (upkeep: Upkeep, ...at: ReadonlyArray<readonly [now: number, bytesRead: number]>) =>
  at.map(([now, bytesRead]) => upkeep.next(now, bytesRead))

/** A client that has just said something. */
const at = (now: number) => [now, now] as const

describe("Upkeep", () => {
  it("pings who is silent, and cuts who does not answer", () => {
    const upkeep = new Upkeep(limits, 0)
    assert.deepStrictEqual(steps(upkeep, [29, 0], [30, 0], [31, 0], [39, 0], [40, 0]), [
      "nothing",
      "ping",
      "nothing",
      "nothing",
      "cut"
    ])
  })

  it("does not ping who has said something, and takes anything for an answer", () => {
    const upkeep = new Upkeep(limits, 0)
    assert.deepStrictEqual(steps(upkeep, [20, 1], [49, 1], [50, 1], [55, 2], [60, 2], [84, 2], [85, 2]), [
      "nothing",
      "nothing",
      "ping",
      "nothing",
      "nothing",
      "nothing",
      "ping"
    ])
  })

  it("ends what is old: first no new calls, then none, then the connection", () => {
    const upkeep = new Upkeep(limits, 1000)
    assert.deepStrictEqual(steps(upkeep, at(1099), at(1100), at(1109), at(1110), at(1119), at(1120)), [
      "nothing",
      "goAway",
      "nothing",
      "endCalls",
      "nothing",
      "cut"
    ])
  })

  it("lets connections without limits live", () => {
    const upkeep = new Upkeep({ ...limits, maxAge: Infinity }, 0)
    assert.strictEqual(upkeep.next(1e12, 1), "nothing")
  })
})
