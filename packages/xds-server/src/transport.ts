import type { Peer } from "@istiod-lite/model"
import type { Effect, Scope } from "effect"
import type { BindError } from "./errors.ts"
import type { XdsProtocol } from "./response-encoding.ts"
import type { Serving } from "./serving.ts"
import type { SharedMessage } from "./shared-message.ts"

/** The gRPC status codes that this server ends a stream with. */
export const StreamCode = {
  ok: 0,
  invalidArgument: 3,
  deadlineExceeded: 4,
  notFound: 5,
  permissionDenied: 7,
  resourceExhausted: 8,
  unimplemented: 12,
  internal: 13,
  unavailable: 14
} as const
export type StreamCode = (typeof StreamCode)[keyof typeof StreamCode]

/** How a stream ends. */
export interface StreamStatus {
  readonly code: StreamCode
  readonly details: string
}

/** One ADS stream as a transport offers it. */
export interface XdsConnection {
  readonly peer: Peer
  readonly protocol: XdsProtocol
  /**
   * Sends one message. `done` is called once, when the client's flow control has let it go, never before `send`
   * returns; not at all if the stream ends first.
   */
  readonly send: (message: SharedMessage, done: () => void) => void
  /** Ends the stream; harmless if it has ended. */
  readonly close: (status: StreamStatus) => void
}

/** What the server does with a stream. */
export interface XdsStreamHandler {
  /** The bytes are the handler's until it returns. */
  readonly onMessage: (message: Uint8Array) => void
  /** The stream has ended, by whom ever; called once, last. */
  readonly onClose: () => void
}

/** Where a transport listens: for port 0 the port that it got. */
export interface ListenAddress {
  readonly host: string
  readonly port: number
}

/** The one thing that knows of gRPC: accepts streams until its scope closes. */
export interface XdsTransport {
  /**
   * Starts to accept; `accept` is called for each new stream, `serving` answers health checks. When the scope closes,
   * open streams get some time to end before they are cut.
   */
  readonly listen: (
    address: ListenAddress,
    accept: (connection: XdsConnection) => XdsStreamHandler,
    serving: Serving
  ) => Effect.Effect<ListenAddress, BindError, Scope.Scope>
}
