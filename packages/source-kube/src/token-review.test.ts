import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Fiber, Latch, Schema } from "effect"
import { TestClock } from "effect/testing"
import type { KubeClient } from "./kube-client.ts"
import { KubeError } from "./kube-error.ts"
import { makeTokenReviewer, type Reviewed } from "./token-review.ts"

const unused = () => Effect.die(new Error("not asked"))
const readBody = Schema.decodeUnknownSync(Schema.Struct({ spec: Schema.Struct({ token: Schema.String }) }))

/** An API server that answers by what `answer` gives for a token, and notes which it was asked for. */
const reviewing = (answer: (token: string) => Effect.Effect<unknown, KubeError>) => {
  const asked: Array<string> = []
  const client: KubeClient = {
    server: "https://192.0.2.1",
    json: ({ body }) =>
      Effect.suspend(() => {
        const { token } = readBody(body).spec
        asked.push(token)
        return answer(token)
      }),
    bytes: unused,
    stream: unused
  }
  return { asked, client }
}

const accepted = Effect.succeed({
  status: { authenticated: true, user: { username: "system:serviceaccount:shop:web" } }
})
const refused = Effect.succeed({ status: { authenticated: false } })
const web: Reviewed = { valid: true, namespace: "shop", serviceAccount: "web" }

/** A token that says when it expires, in seconds since the epoch. */
const tokenUntil = (exp: number): string =>
  `header.${Buffer.from(JSON.stringify({ exp })).toString("base64url")}.signature`

describe("makeTokenReviewer", () => {
  it.effect("remembers a valid token for a minute, and not longer than it is valid", () =>
    Effect.gen(function* () {
      const { asked, client } = reviewing(() => accepted)
      const review = yield* makeTokenReviewer(client)
      const [short, long] = [tokenUntil(30), tokenUntil(3600)]
      for (const token of [short, long, short, long]) assert.deepStrictEqual(yield* review(token), web)
      assert.deepStrictEqual(asked, [short, long])
      yield* TestClock.adjust("31 seconds")
      for (const token of [short, long]) yield* review(token)
      assert.deepStrictEqual(asked, [short, long, short])
      yield* TestClock.adjust("30 seconds")
      yield* review(long)
      assert.deepStrictEqual(asked, [short, long, short, long])
    })
  )

  it.effect("remembers a refusal for seconds only, and a failure not at all", () =>
    Effect.gen(function* () {
      const down = new KubeError({ operation: "review", status: 503, reason: "", detail: "starting" })
      let answer: Effect.Effect<unknown, KubeError> = Effect.fail(down)
      const { asked, client } = reviewing(() => answer)
      const review = yield* makeTokenReviewer(client)
      assert.strictEqual(yield* Effect.flip(review("new")), down)
      answer = refused
      assert.isFalse((yield* review("new")).valid)
      answer = accepted
      assert.isFalse((yield* review("new")).valid)
      yield* TestClock.adjust(Duration.seconds(6))
      assert.isTrue((yield* review("new")).valid)
      assert.lengthOf(asked, 3)
    })
  )

  it.effect("asks once for who shows the same token, whoever of them goes meanwhile", () =>
    Effect.gen(function* () {
      const answered = yield* Latch.make()
      const { asked, client } = reviewing(() => Effect.andThen(answered.await, accepted))
      const review = yield* makeTokenReviewer(client)
      const first = yield* Effect.forkChild(review("same"), { startImmediately: true })
      const others = yield* Effect.forkChild(
        Effect.all(
          Array.from({ length: 1000 }, () => review("same")),
          { concurrency: "unbounded" }
        ),
        { startImmediately: true }
      )
      yield* Fiber.interrupt(first)
      yield* answered.open
      const all = yield* Fiber.join(others)
      assert.isTrue(all.every(({ valid }) => valid))
      assert.deepStrictEqual(asked, ["same"])
    })
  )

  it.effect("asks for 16 tokens at a time, however many are shown, and remembers so many", () =>
    Effect.gen(function* () {
      const answered = yield* Latch.make()
      const { asked, client } = reviewing(() => Effect.andThen(answered.await, refused))
      const review = yield* makeTokenReviewer(client, { capacity: 10 })
      const flood = yield* Effect.forkChild(
        Effect.all(
          Array.from({ length: 1000 }, (_, n) => review(`token-${n}`)),
          { concurrency: "unbounded" }
        ),
        { startImmediately: true }
      )
      yield* Effect.yieldNow
      assert.lengthOf(asked, 16)
      yield* answered.open
      yield* Fiber.join(flood)
      assert.lengthOf(asked, 1000)
      yield* review("token-0")
      assert.lengthOf(asked, 1001)
    })
  )

  it.effect(
    "fails after 10 s with what was waited for, whether asked or in the queue, and asks anew then",
    () =>
      Effect.gen(function* () {
        let answer: Effect.Effect<unknown, KubeError> = Effect.never
        const { asked, client } = reviewing(() => answer)
        const review = yield* makeTokenReviewer(client)
        const failures = yield* Effect.forkChild(
          Effect.all(
            Array.from({ length: 20 }, (_, n) => Effect.flip(review(`token-${n}`))),
            { concurrency: "unbounded" }
          ),
          { startImmediately: true }
        )
        yield* TestClock.adjust("9999 millis")
        assert.isUndefined(failures.pollUnsafe())
        yield* TestClock.adjust("1 millis")
        const text = "Cannot review a token at https://192.0.2.1: the API server gave no answer within 10s"
        assert.deepStrictEqual(
          (yield* Fiber.join(failures)).map(({ message }) => message),
          Array.from({ length: 20 }, () => text)
        )
        answer = accepted
        asked.length = 0
        assert.deepStrictEqual(yield* review("token-0"), web)
        assert.deepStrictEqual(asked, ["token-0"])
      })
  )
})
