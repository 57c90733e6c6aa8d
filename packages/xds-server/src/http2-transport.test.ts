import { assert, describe, it } from "@effect/vitest"
import { ServerReflectionRequest } from "@istiod-lite/xds-proto"
import { Deferred, Effect, Exit, Latch, Queue, Scope } from "effect"
import { TestClock } from "effect/testing"
import { constants } from "node:http2"
import { connect } from "node:net"
import { succeeded } from "./grpc-call.ts"
import { http2Transport } from "./http2-transport.ts"
import { maxRequestLength, MessageReader } from "./message-reader.ts"
import { Serving } from "./serving.ts"
import { SharedMessage } from "./shared-message.ts"
import { accepting, framed, http2Client, outcomeOf } from "./testing/http2-client.ts"
import type { TransportOptions } from "./transport-options.ts"
import { StreamCode } from "./transport.ts"

const listening = (options: Partial<TransportOptions> = {}) =>
  Effect.gen(function* () {
    const { accept, next } = yield* accepting
    const address = { host: "127.0.0.1", port: 0 }
    const { port } = yield* http2Transport(options).listen(address, accept, new Serving())
    return { port, next }
  })

const nothing = (): void => undefined
const text = (message: string): SharedMessage => new SharedMessage([Buffer.from(message)])
const status = (code: number): string => String(code)

/** A server, and one connection to it. */
const setup = Effect.gen(function* () {
  const { next, port } = yield* listening()
  const { request, session } = yield* http2Client(port)
  return { next, port, request, session }
})

/** A call that was taken up. */
const openCall = Effect.gen(function* () {
  const server = yield* setup
  const stream = server.request()
  return { ...server, stream, call: yield* server.next }
})

/** What the server answers to one stream of bytes, whatever it makes of them. */
const answerTo = (bytes: Buffer, headers: Readonly<Record<string, string>> = {}) =>
  Effect.gen(function* () {
    const { request } = yield* setup
    const stream = request(headers)
    stream.write(bytes)
    return yield* outcomeOf(stream)
  }).pipe(Effect.scoped)

describe("http2Transport requests", () => {
  it.live("refuses what is no gRPC in terms of HTTP", () =>
    Effect.gen(function* () {
      const get = yield* answerTo(Buffer.alloc(0), { ":method": "PUT" })
      assert.deepInclude(get.headers, { ":status": 405, allow: "POST" })
      for (const type of ["application/json", "application/grpc-web", ""]) {
        const { headers } = yield* answerTo(framed(""), { "content-type": type })
        assert.strictEqual(headers[":status"], 415, type)
      }
    })
  )

  it.live.each(["application/grpc", "application/grpc+proto", "application/grpc;v=1"])(
    "takes %s, with and without `te: trailers`",
    (type) =>
      Effect.gen(function* () {
        const { next, request } = yield* setup
        for (const te of [{}, { te: "trailers" }]) {
          request({ "content-type": type, ...te }).write(framed("hello"))
          assert.strictEqual(yield* Queue.take((yield* next).messages), "hello")
        }
      }).pipe(Effect.scoped)
  )

  it.live("answers a method that it does not have by a status alone", () =>
    Effect.gen(function* () {
      const { headers, rstCode, trailers } = yield* answerTo(framed(""), { ":path": "/no.such/Method" })
      assert.deepInclude(headers, {
        ":status": 200,
        "content-type": "application/grpc",
        "grpc-status": status(StreamCode.unimplemented),
        "grpc-message": "This server has no method /no.such/Method"
      })
      assert.deepEqual({ ...trailers }, {})
      assert.strictEqual(rstCode, 0)
    })
  )

  it.live("reads messages however they are cut", () =>
    Effect.gen(function* () {
      const { call, stream } = yield* openCall
      const bytes = Buffer.concat([framed("one"), framed(""), framed("three")])
      for (const byte of bytes) stream.write(Buffer.from([byte]))
      stream.write(Buffer.concat([bytes, framed("four").subarray(0, 3)]))
      stream.write(framed("four").subarray(3))
      const heard = yield* Effect.forEach(Array.from({ length: 7 }), () => Queue.take(call.messages))
      assert.deepStrictEqual(heard, ["one", "", "three", "one", "", "three", "four"])
    }).pipe(Effect.scoped)
  )

  it.live("refuses a message that is too large when it is announced", () =>
    Effect.gen(function* () {
      const prefix = Buffer.alloc(5)
      prefix.writeUInt32BE(maxRequestLength + 1, 1)
      const { headers } = yield* answerTo(prefix)
      assert.strictEqual(headers["grpc-status"], status(StreamCode.resourceExhausted))
    })
  )

  it.live("refuses compressed messages, and says what it reads", () =>
    Effect.gen(function* () {
      const gzip = yield* answerTo(framed("x", 1), { "grpc-encoding": "gzip" })
      assert.deepInclude(gzip.headers, {
        "grpc-status": status(StreamCode.unimplemented),
        "grpc-accept-encoding": "identity"
      })
      // The flag without an encoding is a fault of the client's (compression.md).
      for (const headers of [{}, { "grpc-encoding": "identity" }]) {
        const unsaid = yield* answerTo(framed("x", 1), headers)
        assert.strictEqual(unsaid.headers["grpc-status"], status(StreamCode.internal))
      }
    })
  )

  it.live("reads uncompressed messages of a client that could compress them", () =>
    Effect.gen(function* () {
      const { next, request } = yield* setup
      request({ "grpc-encoding": "gzip" }).write(framed("plain"))
      assert.strictEqual(yield* Queue.take((yield* next).messages), "plain")
    }).pipe(Effect.scoped)
  )

  it.live("ends a call at its deadline, and refuses one that nobody can read", () =>
    Effect.gen(function* () {
      const late = yield* answerTo(framed("x"), { "grpc-timeout": "5m" })
      assert.strictEqual(late.headers["grpc-status"], status(StreamCode.deadlineExceeded))
      const unreadable = yield* answerTo(framed("x"), { "grpc-timeout": "soon" })
      assert.strictEqual(unreadable.headers["grpc-status"], status(StreamCode.internal))
    })
  )

  it.live("refuses headers beyond all measure, and goes on", () =>
    Effect.gen(function* () {
      const { next, request } = yield* setup
      const long = Array.from({ length: 20 }, (_, index) => [`x-long-${index}`, "x".repeat(5000)])
      const { headers, rstCode } = yield* outcomeOf(request(Object.fromEntries(long)))
      assert.isUndefined(headers[":status"])
      assert.strictEqual(rstCode, constants.NGHTTP2_ENHANCE_YOUR_CALM)
      request().write(framed("hello"))
      assert.strictEqual(yield* Queue.take((yield* next).messages), "hello")
    }).pipe(Effect.scoped)
  )
})

describe("http2Transport answers", () => {
  it.live("sends messages in pieces and in one, to several streams", () =>
    Effect.gen(function* () {
      const { next, request } = yield* setup
      const parts = [
        Buffer.from("head"),
        Buffer.alloc(300_000, "a"),
        Buffer.alloc(9000, "b"),
        Buffer.from("t")
      ]
      const message = new SharedMessage(parts)
      for (let i = 0; i < 3; i++) {
        const outcome = outcomeOf(request())
        const { connection } = yield* next
        connection.send(message, nothing)
        connection.close(succeeded)
        const { body, headers, trailers } = yield* outcome
        assert.isTrue(body.equals(framed(Buffer.concat(parts))))
        assert.deepInclude(headers, { ":status": 200, "content-type": "application/grpc" })
        assert.strictEqual(trailers["grpc-status"], "0")
      }
    }).pipe(Effect.scoped)
  )

  it.live("ends with a status and its details, in trailers or alone", () =>
    Effect.gen(function* () {
      const { next, request } = yield* setup
      const refusal = { code: StreamCode.permissionDenied, details: "100 % nö\n" }
      const expected = { "grpc-status": status(refusal.code), "grpc-message": "100 %25 n%C3%B6%0A" }
      const alone = outcomeOf(request())
      ;(yield* next).connection.close(refusal)
      assert.deepInclude((yield* alone).headers, expected)
      const later = outcomeOf(request())
      const { connection } = yield* next
      connection.send(text("first"), nothing)
      connection.close(refusal)
      const { body, rstCode, trailers } = yield* later
      assert.deepInclude(trailers, expected)
      assert.isTrue(body.equals(framed("first")))
      // The client was not done: it is told that nobody reads any more, and that this is no error.
      assert.strictEqual(rstCode, 0)
    }).pipe(Effect.scoped)
  )

  it.live("ends with OK when the client has ended its side", () =>
    Effect.gen(function* () {
      const { call, stream } = yield* openCall
      const outcome = outcomeOf(stream)
      stream.end(framed("last words"))
      assert.strictEqual(yield* Queue.take(call.messages), "last words")
      yield* call.closed
      assert.strictEqual((yield* outcome).headers["grpc-status"], "0")
      assert.strictEqual(call.closes(), 1)
    }).pipe(Effect.scoped)
  )

  it.live("ends with INTERNAL when the client ends in the middle of a message", () =>
    Effect.gen(function* () {
      const { call, stream } = yield* openCall
      const outcome = outcomeOf(stream)
      stream.end(framed("cut off").subarray(0, 8))
      yield* call.closed
      assert.strictEqual((yield* outcome).headers["grpc-status"], status(StreamCode.internal))
    }).pipe(Effect.scoped)
  )

  it.live("hears that a client has reset its stream, once, and leaves its other streams alone", () =>
    Effect.gen(function* () {
      const { call, next, request, stream } = yield* openCall
      stream.close(constants.NGHTTP2_CANCEL)
      yield* call.closed
      call.connection.send(text("too late"), () => assert.fail("it did not leave"))
      call.connection.close(succeeded)
      assert.strictEqual(call.closes(), 1)
      request().write(framed("hello"))
      assert.strictEqual(yield* Queue.take((yield* next).messages), "hello")
    }).pipe(Effect.scoped)
  )

  it.live("is done with a message when the client's window has let it go", () =>
    Effect.gen(function* () {
      const { next, port } = yield* listening()
      const { request } = yield* http2Client(port, { window: 65_535 })
      const slow = request()
      const slowCall = yield* next
      let gone = false
      const done = yield* Latch.make()
      slowCall.connection.send(new SharedMessage([Buffer.alloc(200_000), Buffer.alloc(200_000)]), () => {
        gone = true
        done.openUnsafe()
      })
      assert.isFalse(gone)
      // Ten answers on another stream prove that there was time for the first one.
      const quick = request()
      const quickCall = yield* next
      quick.resume()
      for (let i = 0; i < 10; i++) {
        const left = yield* Latch.make()
        quickCall.connection.send(text(`${i}`), () => left.openUnsafe())
        yield* left.await
        quick.write(framed(`${i}`))
        assert.strictEqual(yield* Queue.take(quickCall.messages), `${i}`)
      }
      assert.isFalse(gone)
      slow.resume()
      yield* done.await
    }).pipe(Effect.scoped)
  )

  it.live("hands no message over that nobody wants yet, and all of them later", () =>
    Effect.gen(function* () {
      const client = yield* setup
      const stream = client.request({ ":path": "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo" })
      const outcome = outcomeOf(stream)
      const request = ServerReflectionRequest.encode({
        host: "",
        messageRequest: { $case: "listServices", value: "" }
      }).finish()
      // In one chunk, and the end with it: what was not taken yet must survive both.
      stream.end(Buffer.concat(Array.from({ length: 100 }, () => framed(request))))
      const { body, trailers } = yield* outcome
      assert.strictEqual(trailers["grpc-status"], "0")
      const messages = new MessageReader()
      messages.push(body)
      for (let i = 0; i < 100; i++) assert.instanceOf(messages.next(), Buffer)
      assert.isTrue(messages.isEmpty)
    }).pipe(Effect.scoped)
  )
})

describe("http2Transport connections", () => {
  it.live("say that they go, take no more calls, and end those that are open", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const { next, port } = yield* Scope.provide(listening(), scope)
      const { request, session } = yield* http2Client(port)
      const goAway = yield* Deferred.make<number>()
      session.on("goaway", (code) => void Deferred.doneUnsafe(goAway, Effect.succeed(code)))
      const closed = yield* Latch.make()
      session.on("close", () => closed.openUnsafe())
      const outcome = outcomeOf(request())
      const call = yield* next
      call.connection.send(text("before"), nothing)
      yield* Scope.close(scope, Exit.void)
      assert.strictEqual(yield* Deferred.await(goAway), constants.NGHTTP2_NO_ERROR)
      const { body, trailers } = yield* outcome
      assert.isTrue(body.equals(framed("before")))
      assert.strictEqual(trailers["grpc-status"], status(StreamCode.unavailable))
      yield* call.closed
      yield* closed.await
    }).pipe(Effect.scoped)
  )

  it.live("hurt no other when they break, or never spoke HTTP/2", () =>
    Effect.gen(function* () {
      const { call, port, stream } = yield* openCall
      const broken = yield* http2Client(port)
      broken.request().write(framed("hello"))
      const noise = yield* rawSocket(port)
      noise.socket.write("GET / HTTP/1.1\r\n\r\n")
      yield* noise.closed
      const reset = yield* rawSocket(port)
      reset.socket.resetAndDestroy()
      yield* reset.closed
      broken.session.destroy(new Error("gone"), constants.NGHTTP2_PROTOCOL_ERROR)
      stream.write(framed("still here"))
      assert.strictEqual(yield* Queue.take(call.messages), "still here")
    }).pipe(Effect.scoped)
  )

  it.effect("are cut when the client is silent and answers no ping, with or without calls", () =>
    Effect.gen(function* () {
      const { port } = yield* listening()
      const { closed, heard, socket } = yield* rawSocket(port)
      socket.write(Buffer.from("505249202a20485454502f322e300d0a0d0a534d0d0a0d0a000000040000000000", "hex"))
      // The settings of the server, and its acknowledgement of ours: it has heard us.
      yield* heard((bytes) => framesIn(bytes).filter(({ type }) => type === frameType.settings).length === 2)
      yield* TestClock.adjust("35 seconds")
      yield* heard((bytes) => framesIn(bytes).some(({ type }) => type === frameType.ping))
      yield* TestClock.adjust("15 seconds")
      yield* closed
    }).pipe(Effect.scoped)
  )

  it.effect("live on when the client answers pings", () =>
    Effect.gen(function* () {
      const { call, session, stream } = yield* openCall
      for (let i = 0; i < 5; i++) {
        const pinged = yield* Latch.make()
        session.once("ping", () => pinged.openUnsafe())
        yield* TestClock.adjust("35 seconds")
        yield* pinged.await
        // Behind the answer to the ping, on the same connection.
        stream.write(framed("here"))
        yield* Queue.take(call.messages)
      }
      assert.strictEqual(call.closes(), 0)
    }).pipe(Effect.scoped)
  )

  it.effect("end when they are old, after some grace", () =>
    Effect.gen(function* () {
      const { next, port } = yield* listening({ keepaliveTime: "2 hours", maxConnectionAge: "1 hour" })
      const { request, session } = yield* http2Client(port)
      const goAway = yield* Latch.make()
      session.on("goaway", () => goAway.openUnsafe())
      const stream = request()
      const outcome = outcomeOf(stream)
      const call = yield* next
      yield* TestClock.adjust("53 minutes")
      stream.write(framed("young"))
      assert.strictEqual(yield* Queue.take(call.messages), "young")
      yield* TestClock.adjust("14 minutes")
      yield* goAway.await
      yield* TestClock.adjust("11 seconds")
      assert.strictEqual((yield* outcome).headers["grpc-status"], status(StreamCode.unavailable))
    }).pipe(Effect.scoped)
  )
})

/** A connection that says only what the test says, and hears bytes. */
const rawSocket = (port: number) =>
  Effect.gen(function* () {
    const socket = yield* Effect.acquireRelease(
      Effect.sync(() => connect({ port, host: "127.0.0.1" })),
      (socket) => Effect.sync(() => socket.destroy())
    )
    const closed = yield* Latch.make()
    let bytes = Buffer.alloc(0)
    let check = nothing
    socket.on("error", nothing)
    socket.on("close", () => closed.openUnsafe())
    socket.on("data", (chunk) => {
      bytes = Buffer.concat([bytes, chunk])
      check()
    })
    const heard = (condition: (bytes: Buffer) => boolean): Effect.Effect<void> =>
      Effect.callback((resume) => {
        check = () => {
          if (condition(bytes)) resume(Effect.void)
        }
        check()
      })
    return { socket, heard, closed: closed.await }
  })

const frameType = { settings: 4, ping: 6 }

/** The frames of HTTP/2 that are complete. Source: RFC 9113, section 4.1. */
const framesIn = (bytes: Buffer): ReadonlyArray<{ readonly type: number }> => {
  const frames: Array<{ readonly type: number }> = []
  for (let at = 0; at + 9 <= bytes.length; at += 9 + bytes.readUIntBE(at, 3)) {
    frames.push({ type: bytes.readUInt8(at + 3) })
  }
  return frames
}
