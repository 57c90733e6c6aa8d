import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { type InputChanges, noInputChanges } from "../compose/inputs.ts"
import { decodeLine } from "./line.ts"
import { PendingTransactions } from "./pending-transactions.ts"
import { RecordingError, type RecordingFile } from "./recording-file.ts"
import { persistently, writePending } from "./write-behind.ts"

const cluster = (id: string, isThere = true) => ({ ...noInputChanges, clusters: [[id, isThere] as const] })

const gone = (name: string): InputChanges => ({
  ...noInputChanges,
  objects: [{ cluster: "a", change: "delete", identity: { kind: "Pod", namespace: "shop", name } }]
})

/** A disk that is full for so many attempts. */
const fullDisk = (attempts: number) => {
  const lines: Array<Buffer> = []
  let left = attempts
  const file: RecordingFile = {
    append: (line) =>
      Effect.suspend(() => {
        if (left-- > 0) return Effect.fail(new RecordingError({ message: "no space left on device" }))
        lines.push(line)
        return Effect.void
      })
  }
  return { file, frames: () => lines.map((line) => decodeLine(line.subarray(0, -1))) }
}

describe("writePending", () => {
  it.effect("writes in order, and keeps what could not be written", () =>
    Effect.gen(function* () {
      const { file, frames } = fullDisk(1)
      const pending = new PendingTransactions(10)
      pending.add(1, cluster("a"))
      pending.add(2, cluster("b"))
      yield* Effect.flip(writePending(file, pending))
      assert.strictEqual(pending.size, 2)
      yield* writePending(file, pending)
      assert.deepEqual(
        frames().map((frame) => frame?.clusters),
        [[["a", true]], [["b", true]]]
      )
      assert.strictEqual(pending.size, 0)
    })
  )

  it.effect("tries again until there is space", () =>
    Effect.gen(function* () {
      const { file, frames } = fullDisk(20)
      const pending = new PendingTransactions(10)
      pending.add(1, cluster("a"))
      const writer = yield* Effect.forkChild(persistently(writePending(file, pending)))
      yield* TestClock.adjust("1 second")
      assert.lengthOf(frames(), 0)
      yield* TestClock.adjust("10 minutes")
      yield* Fiber.join(writer)
      assert.lengthOf(frames(), 1)
    })
  )
})

describe("PendingTransactions", () => {
  it("merges what comes too fast, so that the last state is right and memory is bounded", () => {
    const pending = new PendingTransactions(3)
    for (let i = 1; i <= 100; i++) pending.add(i, gone(`cart-${i % 4}`))
    assert.strictEqual(pending.size, 3)
    assert.strictEqual(pending.takeMerged(), 97)
    const taken = []
    for (let next = pending.first(); next !== undefined; next = pending.first()) {
      taken.push(next)
      pending.removeFirst()
    }
    assert.deepEqual(
      taken.map(({ changes, time }) => [time, changes.objects.length]),
      [
        [1, 1],
        [2, 1],
        [100, 4]
      ]
    )
  })

  it("forgets the objects of a cluster that goes", () => {
    const pending = new PendingTransactions(2)
    pending.add(1, cluster("a"))
    const pod = { kind: "Pod", namespace: "shop", name: "cart-1" } as const
    pending.add(2, { ...noInputChanges, objects: [{ cluster: "b", change: "delete", identity: pod }] })
    pending.add(3, cluster("b", false))
    pending.removeFirst()
    assert.deepEqual(pending.first()?.changes, cluster("b", false))
  })
})
