/** A client that says on HTTP/2 whatever a test wants, and hears all of the answer. */
import { Deferred, Effect, Queue } from "effect"
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders
} from "node:http2"
import type { XdsConnection, XdsStreamHandler } from "../transport.ts"

export const adsPath = "/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources"

/** What came of a request. */
export interface Outcome {
  readonly headers: Readonly<Record<string, unknown>>
  /** empty if the headers were all there was */
  readonly trailers: IncomingHttpHeaders
  readonly body: Buffer
  /** of the reset that ended the stream; 0: there was none, or no error */
  readonly rstCode: number
}

/** A gRPC message as it goes over the wire. */
export const framed = (message: Uint8Array | string, flag = 0): Buffer => {
  const body = Buffer.from(message)
  const prefix = Buffer.alloc(5)
  prefix.writeUInt8(flag, 0)
  prefix.writeUInt32BE(body.length, 1)
  return Buffer.concat([prefix, body])
}

/** A connection that ends with the scope. Its windows are large unless told. */
export const http2Client = (port: number, { window = 2 ** 24 }: { readonly window?: number } = {}) =>
  Effect.gen(function* () {
    const session = yield* Effect.acquireRelease(
      Effect.callback<ClientHttp2Session>((resume) => {
        const session = connect(`http://127.0.0.1:${port}`, {
          settings: { initialWindowSize: window },
          maxSendHeaderBlockLength: 2 ** 20
        })
        session.on("error", () => undefined)
        // What the server allows counts from then on.
        session.once("remoteSettings", () => {
          session.setLocalWindowSize(2 ** 24)
          resume(Effect.succeed(session))
        })
      }),
      (session) => Effect.sync(() => session.destroy())
    )
    const request = (headers: OutgoingHttpHeaders = {}): ClientHttp2Stream => {
      const stream = session.request(
        { ":method": "POST", ":path": adsPath, "content-type": "application/grpc", ...headers },
        { endStream: false }
      )
      stream.on("error", () => undefined)
      return stream
    }
    return { session, request }
  })

/** Listens to a stream from now on; the effect waits for its end. */
export const outcomeOf = (stream: ClientHttp2Stream): Effect.Effect<Outcome> => {
  const outcome = Deferred.makeUnsafe<Outcome>()
  let headers: Outcome["headers"] = {}
  let trailers: IncomingHttpHeaders = {}
  const chunks: Array<Buffer> = []
  stream.on("response", (received) => {
    headers = received
  })
  stream.on("trailers", (received) => {
    trailers = received
  })
  stream.on("data", (chunk: Buffer) => void chunks.push(chunk))
  stream.on("close", () => {
    const rstCode = stream.rstCode ?? constants.NGHTTP2_NO_ERROR
    Deferred.doneUnsafe(outcome, Effect.succeed({ headers, trailers, body: Buffer.concat(chunks), rstCode }))
  })
  return Deferred.await(outcome)
}

/** What the other end of an accepted stream hears, and the stream. */
export interface Accepted {
  readonly connection: XdsConnection
  readonly messages: Queue.Queue<string>
  /** how often it was told that the stream is closed */
  readonly closes: () => number
  readonly closed: Effect.Effect<void>
}

/** Accepts streams, and notes what they hear. */
export const accepting = Effect.gen(function* () {
  const streams = yield* Queue.unbounded<Accepted>()
  const accept = (connection: XdsConnection): XdsStreamHandler => {
    const messages = Effect.runSync(Queue.unbounded<string>())
    const closed = Deferred.makeUnsafe<void>()
    let closes = 0
    Queue.offerUnsafe(streams, {
      connection,
      messages,
      closes: () => closes,
      closed: Deferred.await(closed)
    })
    return {
      onMessage: (message) => void Queue.offerUnsafe(messages, Buffer.from(message).toString()),
      onClose: () => {
        closes++
        Deferred.doneUnsafe(closed, Effect.void)
      }
    }
  }
  return { accept, next: Queue.take(streams) }
})
