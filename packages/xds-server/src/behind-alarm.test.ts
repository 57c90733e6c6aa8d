import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { TestClock } from "effect/testing"
import { type Behind, watchBehind } from "./behind-alarm.ts"

const behind = (node: string, since: number): Behind => ({
  stream: { node, peer: "192.0.2.1:5", protocol: "sotw" },
  since,
  why: "it does not read what it is sent"
})

/** Runs the alarm over who is behind at each second; what it logged. */
const play = (seconds: ReadonlyArray<ReadonlyArray<Behind>>, threshold = "3 seconds" as const) => {
  const lines: Array<string> = []
  let second = 0
  return Effect.gen(function* () {
    yield* Effect.forkScoped(
      watchBehind(
        threshold,
        () => seconds[second] ?? [],
        () => second * 1000
      )
    )
    for (let i = 0; i < seconds.length; i++) {
      second = i
      yield* TestClock.adjust("1 second")
    }
    return lines
  }).pipe(
    Effect.scoped,
    Effect.provide(Logger.layer([Logger.make(({ message }) => void lines.push(String(message)))]))
  )
}

describe("watchBehind", () => {
  it.effect("tells of a client once when it is late, and once when it has caught up", () =>
    Effect.gen(function* () {
      const one = [behind("a", 0)]
      assert.deepEqual(yield* play([one, one, one, one, one, one, [], []]), [
        "a at 192.0.2.1:5 has not acknowledged a change for 4 s: it does not read what it is sent",
        "1 client has caught up, or gone"
      ])
    })
  )

  it.effect("tells nothing of clients that acknowledge in time, however often they are asked for more", () =>
    Effect.gen(function* () {
      assert.deepEqual(yield* play(Array.from({ length: 10 }, (_, i) => [behind("a", i * 1000 - 2000)])), [])
    })
  )

  it.effect("names some of many, and counts the rest", () =>
    Effect.gen(function* () {
      const many = Array.from({ length: 25 }, (_, i) => behind(`n${i}`, 0))
      const lines = yield* play([[], [], [], [], many])
      assert.lengthOf(lines, 11)
      assert.strictEqual(lines[10], "… and 15 more clients have not acknowledged changes")
    })
  )
})
