import { assert, describe, it } from "@effect/vitest"
import type { PushRequest } from "@istiod-lite/model"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { adaptivePacing, istioPacing, makePushQueue, type PushPacing } from "./push-queue.ts"

const request = (...names: ReadonlyArray<string>): PushRequest => ({
  full: false,
  services: new Set(),
  endpoints: new Set(names),
  proxies: new Set(),
  reasons: new Map(),
  since: 0
})

const removal = (name: string): PushRequest => ({ ...request(name), removals: new Set([name]) })

/** A queue whose pushes are noted as their endpoints, then services, and a sink that is as busy as the test says. */
const setup = (pacing: PushPacing) =>
  Effect.gen(function* () {
    const pushes: Array<string> = []
    const state = { writing: false }
    const queue = yield* makePushQueue(pacing, {
      push: ({ endpoints, services }) =>
        pushes.push([...endpoints, ...[...services].map((name) => `+${name}`)].join()),
      writing: () => state.writing
    })
    /** Lets the queue's fiber do what it can do now. */
    const settle = TestClock.adjust(0)
    return { pushes, state, queue, settle }
  })

describe("makePushQueue, adaptive", () => {
  it.effect("pushes at once while nothing is being written, after the caller's own turn", () =>
    Effect.gen(function* () {
      const { pushes, queue, settle } = yield* setup(adaptivePacing)
      yield* settle
      queue.push(request("a"))
      queue.push(request("b"))
      assert.deepStrictEqual(pushes, [])
      yield* settle
      assert.deepStrictEqual(pushes, ["a,b"])
      queue.push(request("c"))
      yield* settle
      assert.deepStrictEqual(pushes, ["a,b", "c"])
    })
  )

  it.effect("waits for what is being written, and merges meanwhile", () =>
    Effect.gen(function* () {
      const { pushes, queue, settle, state } = yield* setup(adaptivePacing)
      queue.push(request("a"))
      yield* settle
      state.writing = true
      queue.push(request("b"))
      yield* TestClock.adjust("5 millis")
      queue.push(request("c"))
      yield* TestClock.adjust("5 millis")
      assert.deepStrictEqual(pushes, ["a"])
      state.writing = false
      queue.idle()
      yield* settle
      assert.deepStrictEqual(pushes, ["a", "b,c"])
    })
  )

  it.effect("waits no longer than 20 ms after the last push began, however slow a client is", () =>
    Effect.gen(function* () {
      const { pushes, queue, settle, state } = yield* setup(adaptivePacing)
      queue.push(request("a"))
      yield* settle
      state.writing = true
      yield* TestClock.adjust("5 millis")
      queue.push(request("b"))
      yield* TestClock.adjust("14 millis")
      assert.deepStrictEqual(pushes, ["a"])
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual(pushes, ["a", "b"])
      // The stuck write is older than that now: the next change does not wait for it.
      yield* TestClock.adjust("1 minute")
      queue.push(request("c"))
      yield* settle
      assert.deepStrictEqual(pushes, ["a", "b", "c"])
    })
  )
})

describe("makePushQueue, removals", () => {
  it.effect("go at once with nothing but their own services, while everything else waits", () =>
    Effect.gen(function* () {
      const { pushes, queue, settle, state } = yield* setup(adaptivePacing)
      queue.push(request("a"))
      yield* settle
      state.writing = true
      queue.push(request("b"))
      queue.push(removal("gone"))
      yield* settle
      assert.deepStrictEqual(pushes, ["a", "gone"])
      queue.push({ ...removal("gone too"), services: new Set(["new"]) })
      yield* settle
      assert.deepStrictEqual(pushes, ["a", "gone", "gone too"])
      yield* TestClock.adjust("20 millis")
      assert.deepStrictEqual(pushes, ["a", "gone", "gone too", "b,+new"])
    })
  )

  it.effect("go in one push with what is due anyway", () =>
    Effect.gen(function* () {
      const { pushes, queue, settle } = yield* setup(adaptivePacing)
      queue.push(request("a"))
      queue.push(removal("gone"))
      yield* settle
      assert.deepStrictEqual(pushes, ["gone,a"])
    })
  )

  it.effect("do not put off what waits, however many come", () =>
    Effect.gen(function* () {
      const { pushes, queue, settle, state } = yield* setup(adaptivePacing)
      queue.push(request("a"))
      yield* settle
      state.writing = true
      queue.push(request("b"))
      for (let at = 0; at < 20; at += 5) {
        queue.push(removal(`gone ${at}`))
        yield* TestClock.adjust("5 millis")
      }
      assert.strictEqual(pushes.at(-1), "b")
    })
  )

  it.effect("pass Istio's windows too", () =>
    Effect.gen(function* () {
      const { pushes, queue, settle } = yield* setup(istioPacing)
      queue.push(request("a"))
      queue.push(removal("gone"))
      yield* settle
      assert.deepStrictEqual(pushes, ["gone"])
      yield* TestClock.adjust("100 millis")
      assert.deepStrictEqual(pushes, ["gone", "a"])
    })
  )
})

describe("makePushQueue", () => {
  it.effect("goes on after a push that failed", () =>
    Effect.gen(function* () {
      const pushes: Array<number> = []
      const queue = yield* makePushQueue(adaptivePacing, {
        push: () => {
          if (pushes.push(pushes.length) === 1) throw new Error("broken")
        },
        writing: () => false
      })
      queue.push(request("a"))
      yield* TestClock.adjust(0)
      queue.push(request("b"))
      yield* TestClock.adjust(0)
      assert.strictEqual(pushes.length, 2)
    })
  )
})

describe("makePushQueue, Istio's windows", () => {
  it.effect("pushes when it has been quiet for 100 ms", () =>
    Effect.gen(function* () {
      const { pushes, queue } = yield* setup(istioPacing)
      queue.push(request("a"))
      yield* TestClock.adjust("99 millis")
      queue.push(request("a", "b"))
      yield* TestClock.adjust("99 millis")
      assert.deepStrictEqual(pushes, [])
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual(pushes, ["a,b"])
    })
  )

  it.effect("lets a service that changes every 50 ms hold up itself alone", () =>
    Effect.gen(function* () {
      const { pushes, queue } = yield* setup(istioPacing)
      const noise = (milliseconds: number) =>
        Effect.gen(function* () {
          for (let at = 0; at < milliseconds; at += 50) {
            queue.push(request("noisy"))
            yield* TestClock.adjust("50 millis")
          }
        })
      yield* noise(1000)
      queue.push(request("quiet"))
      yield* noise(100)
      assert.deepStrictEqual(pushes, ["quiet"])
      yield* noise(8900)
      assert.deepStrictEqual(pushes, ["quiet", "noisy"])
    })
  )

  it.effect("lets changes of endpoints go at once where only the rest waits", () =>
    Effect.gen(function* () {
      const { pushes, queue, settle } = yield* setup({ ...istioPacing, endpointsAtOnce: true })
      queue.push({ ...request("a"), services: new Set(["s"]) })
      yield* settle
      assert.deepStrictEqual(pushes, ["a"])
      yield* TestClock.adjust("100 millis")
      assert.deepStrictEqual(pushes, ["a", "+s"])
    })
  )

  it.effect("pushes after 10 s at the latest, and starts anew", () =>
    Effect.gen(function* () {
      const { pushes, queue } = yield* setup(istioPacing)
      for (let at = 0; at < 10_000; at += 50) {
        queue.push(request("a"))
        yield* TestClock.adjust("50 millis")
      }
      assert.deepStrictEqual(pushes, ["a"])
      queue.push(request("b"))
      yield* TestClock.adjust("99 millis")
      assert.strictEqual(pushes.length, 1)
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual(pushes, ["a", "b"])
    })
  )
})
