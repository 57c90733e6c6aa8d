import type { Peer } from "@istiod-lite/model"
import { constants, type IncomingHttpHeaders, type ServerHttp2Stream } from "node:http2"
import type { GrpcCall, GrpcCallHandler, GrpcMethod } from "./grpc-call.ts"
import { statusHeaders } from "./grpc-headers.ts"
import { MessageReader } from "./message-reader.ts"
import type { SharedMessage } from "./shared-message.ts"
import { StreamCode, type StreamStatus } from "./transport.ts"

const responseHeaders = { ":status": 200, "content-type": "application/grpc" }

/** Node's timers take no more. */
const longestTimer = 2 ** 31 - 1

/** One gRPC call on its HTTP/2 stream. */
export class Http2Call {
  private readonly stream: ServerHttp2Stream
  private readonly messages: MessageReader
  private readonly handler: GrpcCallHandler
  private readonly deadline: NodeJS.Timeout | undefined
  private isOpen = true
  private isPaused = false
  /** what the client has sent is all it sends: so says HTTP/2, and so the method was told */
  private hasEnded = false
  private isEndTold = false

  /** `timeout` in milliseconds, from the request's header. */
  constructor(
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
    timeout: number | undefined,
    peer: Peer,
    method: GrpcMethod
  ) {
    this.stream = stream
    this.messages = new MessageReader(one(headers["grpc-encoding"]))
    const call: GrpcCall = {
      peer,
      send: (message, done) => this.send(message, done),
      pause: () => this.pause(),
      resume: () => this.resume(),
      close: (status) => this.close(status)
    }
    this.handler = method(call)
    this.deadline =
      timeout === undefined || timeout > longestTimer
        ? undefined
        : setTimeout(() => this.close(deadlineExceeded), timeout)
    stream.on("data", (chunk: Buffer) => {
      if (!this.isOpen) return
      this.messages.push(chunk)
      this.deliver()
    })
    stream.on("end", () => {
      this.hasEnded = true
      this.deliver()
    })
    stream.on("close", () => this.end())
  }

  /** Ends the call with a status; harmless if it has ended. */
  close(status: StreamStatus): void {
    if (!this.isOpen) return
    sendStatus(this.stream, status, () => this.hasEnded)
    this.end()
  }

  private send(message: SharedMessage, done: () => void): void {
    const { stream } = this
    if (!this.isOpen || stream.destroyed || stream.closed) return
    if (!stream.headersSent) stream.respond(responseHeaders, { waitForTrailers: true })
    const gone = (error?: Error | null): void => {
      if (this.isOpen && !error) done()
    }
    const pieces = message.take()
    const last = pieces.length - 1
    if (last > 0) stream.cork()
    for (const [index, piece] of pieces.entries()) {
      if (index < last) stream.write(piece)
      // Node calls back when the client's windows have let all of it go.
      else stream.write(piece, gone)
    }
    if (last > 0) stream.uncork()
  }

  private pause(): void {
    this.isPaused = true
    this.stream.pause()
  }

  private resume(): void {
    this.isPaused = false
    this.deliver()
    if (!this.isPaused) this.stream.resume()
  }

  /** Hands over what is complete, as long as it is wanted. */
  private deliver(): void {
    while (this.isOpen && !this.isPaused) {
      const next = this.messages.next()
      if (next === undefined) return this.tellEnd()
      if (next instanceof Uint8Array) this.handler.onMessage(next)
      else this.close(next)
    }
  }

  private tellEnd(): void {
    if (!this.hasEnded || this.isEndTold) return
    this.isEndTold = true
    if (this.messages.isEmpty) this.handler.onEnd()
    else this.close(cutOff)
  }

  private end(): void {
    if (!this.isOpen) return
    this.isOpen = false
    clearTimeout(this.deadline)
    // What the client still sends is of no interest, but would fill its window.
    this.stream.resume()
    this.handler.onClose()
  }
}

const deadlineExceeded: StreamStatus = {
  code: StreamCode.deadlineExceeded,
  details: "The call took longer than its grpc-timeout"
}

const cutOff: StreamStatus = {
  code: StreamCode.internal,
  details: "Cannot read the request: it ends in the middle of a message"
}

/**
 * Ends a stream with a gRPC status: in trailers, or in the headers if nothing was sent. A client that has not ended its
 * side by then is told that no more is read, as HTTP/2 wants it: by a reset without an error.
 */
export const sendStatus = (
  stream: ServerHttp2Stream,
  status: StreamStatus,
  hasEnded: () => boolean = () => false
): void => {
  if (stream.destroyed || stream.closed) return
  const stopReading = (): void => {
    if (!hasEnded() && !stream.destroyed) stream.close(constants.NGHTTP2_NO_ERROR)
  }
  if (!stream.headersSent) {
    stream.respond({ ...responseHeaders, ...statusHeaders(status) }, { endStream: true })
    return stopReading()
  }
  stream.once("wantTrailers", () => {
    stream.sendTrailers(statusHeaders(status))
    // Node sends trailers in the next turn, so before this.
    setImmediate(stopReading)
  })
  stream.end()
}

/** Node joins headers that come several times, but for some that it lists. */
export const one = (header: string | ReadonlyArray<string> | undefined): string | undefined =>
  typeof header === "object" ? header[0] : header
