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
  const frames = () =>
    Buffer.concat(lines)
      .toString()
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => decodeLine(Buffer.from(line)))
  return { file, frames }
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
    const taken = pending.batch()
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
    const pending = new PendingTransactions(1)
    const pod = { kind: "Pod", namespace: "shop", name: "cart-1" } as const
    pending.add(1, { ...noInputChanges, objects: [{ cluster: "b", change: "delete", identity: pod }] })
    pending.add(2, cluster("b", false))
    assert.deepEqual(pending.batch()[0]?.changes, cluster("b", false))
  })

  it("gives the same again until it is written, whatever happens meanwhile", () => {
    const pending = new PendingTransactions(1)
    pending.add(1, gone("cart-1"))
    const batch = pending.batch()
    pending.add(2, gone("cart-2"))
    pending.add(3, gone("cart-3"))
    assert.deepEqual(pending.batch(), batch)
    pending.written()
    const [next, ...others] = pending.batch()
    assert.lengthOf(others, 0)
    assert.deepEqual([next?.time, next?.changes.objects.length], [3, 2])
  })

  it("batches what is small, and lets the large go alone", () => {
    const pending = new PendingTransactions(10)
    const many = Array.from({ length: 600 }, (_, i) => gone(`cart-${i}`).objects).flat()
    pending.add(1, gone("cart-1"))
    pending.add(2, gone("cart-2"))
    pending.add(3, { ...noInputChanges, objects: many })
    const sizes: Array<number> = []
    for (let batch = pending.batch(); batch.length > 0; batch = pending.batch()) {
      sizes.push(batch.length)
      pending.written()
    }
    assert.deepEqual(sizes, [2, 1])
  })
})
