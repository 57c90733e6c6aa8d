import * as grpc from "@grpc/grpc-js"
import { assert, describe, it } from "@effect/vitest"
import { AuthenticationError, ProxyAuthenticator, ProxyLifecycle } from "@istiod-lite/model"
import { Deferred, Effect, Latch, Queue } from "effect"
import { silentObserver } from "./observer.ts"
import { connect, listening, port, served } from "./testing/proxy-client.ts"
import { transports } from "./testing/transports.ts"
import { XdsServer } from "./xds-server.ts"

describe.each(transports)("ProxyLifecycle over %s", (_, makeTransport) => {
  const transport = makeTransport()

  it.live.each(["StreamAggregatedResources", "DeltaAggregatedResources"] as const)(
    "%s tells who comes, how it is, and that it went",
    (method) =>
      Effect.gen(function* () {
        const { lifecycle, next, told } = yield* listening()
        yield* Effect.gen(function* () {
          const client = yield* connect(method, { port: yield* port })
          client.report()
          const [came, connection] = yield* next
          assert.deepStrictEqual(
            [came, connection.proxy.name, connection.proxy.namespace],
            ["connected", "vm-7", "shop"]
          )
          assert.deepStrictEqual((yield* next)[2], { healthy: true, message: "" })
          client.report("disk full")
          assert.deepStrictEqual((yield* next)[2], { healthy: false, message: "disk full" })
          client.cancel()
          const [went, same] = yield* next
          assert.deepStrictEqual([went, same === connection], ["disconnected", true])
          assert.strictEqual(yield* Queue.size(told), 0)
        }).pipe(
          Effect.scoped,
          Effect.provide(served({ transport })),
          Effect.provideService(ProxyLifecycle, lifecycle)
        )
      })
  )

  it.live("a refused stream ends with the reason, and its end is told", () =>
    Effect.gen(function* () {
      const refusal = new AuthenticationError({ peer: "p", node: "n", reason: "no such group" })
      const { lifecycle, next } = yield* listening(Effect.fail(refusal))
      yield* Effect.gen(function* () {
        const client = yield* connect("StreamAggregatedResources", { port: yield* port })
        client.report()
        const end = yield* client.ended
        assert.deepStrictEqual([end.code, end.details], [grpc.status.PERMISSION_DENIED, refusal.message])
        assert.strictEqual((yield* next)[0], "connected")
        assert.strictEqual((yield* next)[0], "disconnected")
      }).pipe(
        Effect.scoped,
        Effect.provide(served({ transport })),
        Effect.provideService(ProxyLifecycle, lifecycle)
      )
    })
  )

  it.live("tells of a stream that went while it was being admitted, and not of its reports", () =>
    Effect.gen(function* () {
      const admitted = yield* Latch.make()
      const { lifecycle, next, told } = yield* listening(admitted.await)
      yield* Effect.gen(function* () {
        const client = yield* connect("StreamAggregatedResources", { port: yield* port })
        client.report("ill")
        assert.strictEqual((yield* next)[0], "connected")
        client.cancel()
        assert.strictEqual((yield* next)[0], "disconnected")
        yield* admitted.open
        assert.strictEqual(yield* Queue.size(told), 0)
      }).pipe(
        Effect.scoped,
        Effect.provide(served({ transport })),
        Effect.provideService(ProxyLifecycle, lifecycle)
      )
    })
  )

  it.live("tells of streams that are drained before the server is gone", () =>
    Effect.gen(function* () {
      const { lifecycle, next } = yield* listening()
      yield* Effect.gen(function* () {
        const client = yield* connect("StreamAggregatedResources", { port: yield* port })
        client.report()
        yield* next
        yield* next
      }).pipe(
        Effect.provide(served({ transport })),
        Effect.provideService(ProxyLifecycle, lifecycle),
        Effect.scoped
      )
      assert.strictEqual((yield* next)[0], "disconnected")
    })
  )

  it.live("is not told of a stream that went while it was being asked who it is", () =>
    Effect.gen(function* () {
      const [asked, answered] = [yield* Latch.make(), yield* Latch.make()]
      const authenticate = () =>
        Effect.andThen(Effect.andThen(asked.open, answered.await), Effect.succeed([]))
      const { lifecycle, next, told } = yield* listening()
      yield* Effect.gen(function* () {
        const first = yield* connect("StreamAggregatedResources", { port: yield* port })
        first.report()
        yield* asked.await
        first.cancel()
        const { connections } = yield* XdsServer
        yield* Effect.repeat(Effect.yieldNow, { until: () => connections().length === 0 })
        yield* answered.open
        const second = yield* connect("StreamAggregatedResources", { port: yield* port })
        second.report("later")
        assert.strictEqual((yield* next)[0], "connected")
        assert.strictEqual((yield* next)[2]?.message, "later")
        assert.strictEqual(yield* Queue.size(told), 0)
      }).pipe(
        Effect.scoped,
        Effect.provide(served({ transport })),
        Effect.provideService(ProxyLifecycle, lifecycle),
        Effect.provideService(ProxyAuthenticator, { authenticate })
      )
    })
  )

  it.live("an authenticator that never answers holds nobody else, nor the end of the server", () =>
    Effect.gen(function* () {
      const { lifecycle, next, told } = yield* listening()
      const seen = yield* Deferred.make<void>()
      let answers = false
      const authenticate = () =>
        Effect.suspend(() =>
          answers ? Effect.succeed([]) : Effect.andThen(Deferred.succeed(seen, undefined), Effect.never)
        )
      yield* Effect.gen(function* () {
        const stuck = yield* connect("StreamAggregatedResources", { port: yield* port })
        stuck.report()
        yield* Deferred.await(seen)
        answers = true
        const quick = yield* connect("DeltaAggregatedResources", { port: yield* port })
        quick.report()
        assert.strictEqual((yield* next)[0], "connected")
        assert.strictEqual((yield* next)[0], "reported")
      }).pipe(
        Effect.provide(served({ transport })),
        Effect.provideService(ProxyLifecycle, lifecycle),
        Effect.provideService(ProxyAuthenticator, { authenticate }),
        Effect.scoped
      )
      assert.strictEqual((yield* next)[0], "disconnected")
      assert.strictEqual(yield* Queue.size(told), 0)
    })
  )

  it.live("refuses 1,000 streams on their reason, tells so of each, and keeps none", () =>
    Effect.gen(function* () {
      const refusal = new AuthenticationError({ peer: "p", node: "n", reason: "it is a stranger" })
      const { lifecycle, refused, told } = yield* listening()
      yield* Effect.gen(function* () {
        const to = yield* port
        const { connections } = yield* XdsServer
        const ends = yield* Effect.forEach(
          Array.from({ length: 1000 }),
          () =>
            Effect.scoped(
              Effect.flatMap(connect("StreamAggregatedResources", { port: to }), ({ ended, report }) => {
                report()
                return ended
              })
            ),
          { concurrency: 100 }
        )
        assert.isTrue(
          ends.every(
            ({ code, details }) => code === grpc.status.PERMISSION_DENIED && details === refusal.message
          )
        )
        yield* Effect.repeat(Effect.yieldNow, { until: () => connections().length === 0 })
        assert.strictEqual(yield* Queue.size(told), 0)
        assert.deepStrictEqual(
          yield* Queue.takeAll(refused),
          Array.from({ length: 1000 }, () => refusal)
        )
      }).pipe(
        Effect.provide(served({ transport })),
        Effect.provideService(ProxyLifecycle, lifecycle),
        Effect.provideService(ProxyAuthenticator, { authenticate: () => Effect.fail(refusal) })
      )
    })
  )

  it.live("keeps of a flood of reports before admission only the last", () =>
    Effect.gen(function* () {
      const admitted = yield* Latch.make()
      const { lifecycle, next, told } = yield* listening(admitted.await)
      const received = yield* Deferred.make<void>()
      const observer = {
        ...silentObserver,
        unknownType: () => void Deferred.doneUnsafe(received, Effect.void)
      }
      yield* Effect.gen(function* () {
        const client = yield* connect("StreamAggregatedResources", { port: yield* port })
        for (let n = 0; n < 5000; n++) client.report(`${n}`)
        client.ask("type.googleapis.com/test.Thing")
        yield* next
        yield* Deferred.await(received)
        yield* admitted.open
        assert.strictEqual((yield* next)[2]?.message, "4999")
        assert.strictEqual(yield* Queue.size(told), 0)
      }).pipe(
        Effect.scoped,
        Effect.provide(served({ transport, observers: [observer] })),
        Effect.provideService(ProxyLifecycle, lifecycle)
      )
    })
  )
})
