import type { XdsResource } from "@istiod-lite/model"
import type { Acknowledgement, SentResponse } from "./acknowledgement.ts"

/** The resources to send in one response; `removed` is for delta streams only. */
export interface Answer {
  readonly resources: ReadonlyArray<XdsResource>
  readonly removed: ReadonlyArray<string>
  /** the names among them that the client may wait for again though it has them (delta) */
  readonly demanded?: ReadonlyArray<string>
}

/** Told when a stream starts or ends to subscribe to a name, so that a push finds it. */
export interface SubscriptionListener {
  /** Returns the one string that all streams use for this name. */
  readonly subscribed: (name: string) => string
  readonly unsubscribed: (name: string) => void
}

/**
 * The protocol state of one resource type on one stream, the same to the server for both protocols.
 *
 * Requests and pushes only note what is owed. When the stream can be written to, the server asks `wanted`, generates
 * these names, and hands the result to `respond`. No clock, no I/O, no bytes.
 */
export interface TypeSession {
  readonly names: ReadonlySet<string>
  /** Subscribed to all there are. */
  readonly wildcard: boolean
  readonly acknowledgement: Acknowledgement
  /** Versions by name, as the client has been sent them; undefined: it knows that there is none. */
  readonly held: ReadonlyMap<string, string | undefined>
  /** Something may have to be sent. */
  readonly owes: boolean
  /** Something goes ahead of what else is owed of the type; `wanted` and `respond` are of that alone then. */
  readonly owesFirst: boolean
  /** A push says that these may have changed; names that are not subscribed are ignored. */
  readonly markChanged: (names: Iterable<string> | "all") => void
  /**
   * A push says that something clients use of these is gone. Counts for names that the client has been sent: what it
   * has not got yet it does not use, and must not get before what refers to it (S-81, S-84).
   */
  readonly markFirst: (names: Iterable<string>) => void
  /** Resources that refer to these names have been sent: the client may wait for them again before it uses those. */
  readonly parentSent: (names: ReadonlySet<string>) => void
  /** The names to generate now, sorted, `*` for all there are. */
  readonly wanted: () => ReadonlyArray<string>
  /** Takes what exists of `wanted` and settles what is owed: the response to send, or undefined if nothing differs. */
  readonly respond: (generated: ReadonlyArray<XdsResource>) => Answer | undefined
  /** Nothing could be generated: what was owed is forgotten, what the client has stays. */
  readonly skip: () => void
  /** The answer left under this nonce and version. */
  readonly sent: (response: SentResponse) => void
  /** The stream is gone: no name is subscribed any more. */
  readonly close: () => void
}

/** The name that stands for all there are. */
export const wildcardName = "*"

/** `names` in the order that makes equal subscriptions ask for equal lists. */
export const sorted = (names: Iterable<string>): ReadonlyArray<string> => [...names].toSorted()
