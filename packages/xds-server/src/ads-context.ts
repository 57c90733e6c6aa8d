import type {
  AuthenticationError,
  ConnectedProxy,
  NodeIdentity,
  Peer,
  Proxy,
  XdsGenerator
} from "@istiod-lite/model"
import type { FrameCache } from "./frame-cache.ts"
import type { InterestIndex } from "./interest-index.ts"
import type { AdsObserver } from "./observer.ts"
import type { Turns } from "./turns.ts"

/** One served resource type: its generator and who wants what of it. */
export interface ServedType {
  readonly generator: XdsGenerator
  readonly interest: InterestIndex<Subscriber>
}

/** A stream as pushes see it. */
export interface Subscriber {
  readonly markChanged: (typeUrl: string, names: ReadonlyArray<string> | "all") => void
  /** Sends what is owed when it is its turn, as far as the client takes it. `since`: when the change behind a push was observed. */
  readonly flush: (since?: number) => void
}

/** What all streams of one server share. */
export interface AdsContext {
  /** in push order */
  readonly types: ReadonlyMap<string, ServedType>
  readonly frames: FrameCache
  readonly observer: AdsObserver
  /** When streams send what they owe. */
  readonly turns: Turns
  /** epoch milliseconds */
  readonly now: () => number
  /** false until the registries have synced: requests are taken in, nothing is sent (S-82) */
  readonly serves: () => boolean
  readonly resolve: (self: Proxy) => ConnectedProxy
  /** Asks whether the peer may be this node, and answers through `done`, at once or later. */
  readonly authenticate: (
    peer: Peer,
    node: NodeIdentity,
    done: (refusal: AuthenticationError | undefined) => void
  ) => void
  readonly writeBegun: () => void
  readonly writeEnded: () => void
}
