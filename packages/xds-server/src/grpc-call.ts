import type { Peer } from "@istiod-lite/model"
import { SharedMessage } from "./shared-message.ts"
import { StreamCode, type StreamStatus } from "./transport.ts"

/** One call of a gRPC method as a transport offers it, whatever the method streams. */
export interface GrpcCall {
  readonly peer: Peer
  /** Sends one message; `done` as of `XdsConnection.send`. */
  readonly send: (message: SharedMessage, done: () => void) => void
  /** Hands over no further message until `resume`. */
  readonly pause: () => void
  readonly resume: () => void
  /** Ends the call; harmless if it has ended. What was sent before goes out first. */
  readonly close: (status: StreamStatus) => void
}

/** What a method does with a call. */
export interface GrpcCallHandler {
  /** The bytes are the handler's until it returns. */
  readonly onMessage: (message: Uint8Array) => void
  /** The client sends no more messages; the call goes on until it is closed. */
  readonly onEnd: () => void
  /** The call has ended, by whom ever; called once, last. */
  readonly onClose: () => void
}

/** Takes up a call. */
export type GrpcMethod = (call: GrpcCall) => GrpcCallHandler

/** All that a transport serves, by path: `/package.Service/Method`. */
export type GrpcMethods = ReadonlyMap<string, GrpcMethod>

/** How a call ends when all is said. */
export const succeeded: StreamStatus = { code: StreamCode.ok, details: "" }

/** Calls end, and clients are expected to connect elsewhere. */
export const draining: StreamStatus = { code: StreamCode.unavailable, details: "draining" }

/** What the generated code offers for each message. */
export interface MessageCodec<T> {
  readonly encode: (message: T) => { readonly finish: () => Uint8Array }
  readonly decode: (bytes: Uint8Array) => T
}

/** `message` as calls send it. */
export const encoded = <T>(codec: Pick<MessageCodec<T>, "encode">, message: T): SharedMessage =>
  new SharedMessage([codec.encode(message).finish()])

/** Takes the requests of a call; bytes that are no request end it with INVALID_ARGUMENT. */
export const reading =
  <T>(codec: Pick<MessageCodec<T>, "decode">, call: GrpcCall, use: (request: T) => void) =>
  (bytes: Uint8Array): void => {
    let request: T
    try {
      request = codec.decode(bytes)
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause)
      return call.close({ code: StreamCode.invalidArgument, details: `Cannot read the request: ${reason}` })
    }
    use(request)
  }
