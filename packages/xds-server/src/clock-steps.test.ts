import { assert, describe, it } from "@effect/vitest"
import type { PushRequest } from "@istiod-lite/model"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import { http2Transport } from "./http2-transport.ts"
import { adaptivePacing, istioPacing, makePushQueue } from "./push-queue.ts"
import { Serving } from "./serving.ts"
import { accepting, http2Client } from "./testing/http2-client.ts"
import { makeSteppedClock } from "./testing/stepped-clock.ts"

const request = (name: string): PushRequest => ({
  full: false,
  services: new Set(),
  endpoints: new Set([name]),
  proxies: new Set(),
  reasons: new Map(),
  since: 0
})

const hour = 3_600_000

describe("makePushQueue, when the time of day is put back", () => {
  it.effect("does not wait until it is that time again for what is being written", () =>
    Effect.gen(function* () {
      const { clock, step } = yield* makeSteppedClock
      const pushes: Array<string> = []
      const queue = yield* makePushQueue(adaptivePacing, {
        push: ({ endpoints }) => pushes.push(...endpoints),
        writing: () => true
      }).pipe(Effect.provideService(Clock.Clock, clock))
      queue.push(request("a"))
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(pushes, ["a"])
      step(-hour)
      queue.push(request("b"))
      yield* TestClock.adjust("20 millis")
      assert.deepStrictEqual(pushes, ["a", "b"])
    })
  )

  it.effect("lets windows end when they would have", () =>
    Effect.gen(function* () {
      const { clock, step } = yield* makeSteppedClock
      const pushes: Array<string> = []
      const queue = yield* makePushQueue(istioPacing, {
        push: ({ endpoints }) => pushes.push(...endpoints),
        writing: () => false
      }).pipe(Effect.provideService(Clock.Clock, clock))
      queue.push(request("a"))
      yield* TestClock.adjust("50 millis")
      step(-hour)
      queue.push(request("b"))
      yield* TestClock.adjust("50 millis")
      assert.deepStrictEqual(pushes, ["a"])
      yield* TestClock.adjust("50 millis")
      assert.deepStrictEqual(pushes, ["a", "b"])
    })
  )
})

describe("http2Transport, when the time of day is put ahead", () => {
  it.effect("takes no connection for older than it is", () =>
    Effect.gen(function* () {
      const { clock, step } = yield* makeSteppedClock
      const { accept } = yield* accepting
      const address = { host: "127.0.0.1", port: 0 }
      const { port } = yield* http2Transport()
        .listen(address, accept, new Serving())
        .pipe(Effect.provideService(Clock.Clock, clock))
      const { session } = yield* http2Client(port)
      let isTold = false
      session.on("goaway", () => {
        isTold = true
      })
      step(hour)
      yield* TestClock.adjust("5 seconds")
      // The answer comes behind all that was sent before.
      yield* Effect.callback<void>((resume) => void session.ping(() => resume(Effect.void)))
      assert.isFalse(isTold)
    }).pipe(Effect.scoped)
  )
})
