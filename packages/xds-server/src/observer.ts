import type { RequestKind } from "./acknowledgement.ts"
import type { XdsProtocol } from "./response-encoding.ts"
import type { StreamStatus } from "./transport.ts"

/** Who is at the other end of a stream; `node` is empty until it has said so. */
export interface StreamName {
  readonly peer: string
  readonly node: string
  readonly protocol: XdsProtocol
}

/** What happens on the streams, for metrics and logs. Called from the hot path: implementations only count. */
export interface AdsObserver {
  readonly opened: (stream: StreamName) => void
  readonly closed: (stream: StreamName) => void
  /** A request of a served type was taken in. */
  readonly received: (stream: StreamName, typeUrl: string, kind: RequestKind) => void
  /** A client refused a response (NACK). */
  readonly refused: (stream: StreamName, typeUrl: string, message: string) => void
  /** A client asked for a type that is not served; called once per stream and type. */
  readonly unknownType: (stream: StreamName, typeUrl: string) => void
  /** The server ended a stream because of what the client sent. */
  readonly rejected: (stream: StreamName, status: StreamStatus) => void
  readonly sent: (stream: StreamName, typeUrl: string, bytes: number) => void
  /** A stream has been sent all that a push asked for, this many milliseconds after the change was observed. */
  readonly converged: (stream: StreamName, milliseconds: number) => void
  /** A stream has acknowledged a change, this many milliseconds after it was observed. */
  readonly acknowledged: (stream: StreamName, milliseconds: number) => void
  /** A generator threw, which it must not; the stream goes on without this response. */
  readonly generatorFailed: (stream: StreamName, typeUrl: string, cause: unknown) => void
  /** A merged push request is being served. */
  readonly pushed: (reasons: ReadonlyMap<string, number>) => void
}

/** An observer that does nothing: for those who want to know of a few events only. */
export const silentObserver: AdsObserver = {
  opened: () => undefined,
  closed: () => undefined,
  received: () => undefined,
  refused: () => undefined,
  unknownType: () => undefined,
  rejected: () => undefined,
  sent: () => undefined,
  converged: () => undefined,
  acknowledged: () => undefined,
  generatorFailed: () => undefined,
  pushed: () => undefined
}

/** An observer that tells each of several. */
export const observeAll = (observers: ReadonlyArray<AdsObserver>): AdsObserver => ({
  opened: (...event) => observers.forEach((observer) => observer.opened(...event)),
  closed: (...event) => observers.forEach((observer) => observer.closed(...event)),
  received: (...event) => observers.forEach((observer) => observer.received(...event)),
  refused: (...event) => observers.forEach((observer) => observer.refused(...event)),
  unknownType: (...event) => observers.forEach((observer) => observer.unknownType(...event)),
  rejected: (...event) => observers.forEach((observer) => observer.rejected(...event)),
  sent: (...event) => observers.forEach((observer) => observer.sent(...event)),
  converged: (...event) => observers.forEach((observer) => observer.converged(...event)),
  acknowledged: (...event) => observers.forEach((observer) => observer.acknowledged(...event)),
  generatorFailed: (...event) => observers.forEach((observer) => observer.generatorFailed(...event)),
  pushed: (...event) => observers.forEach((observer) => observer.pushed(...event))
})
