import type {
  AuthenticationError,
  ConnectedProxy,
  HealthReport,
  NodeIdentity,
  Peer,
  Proxy,
  ProxyConnection,
  XdsGenerator
} from "@istiod-lite/model"
import type { FrameCache } from "./frame-cache.ts"
import type { InterestIndex } from "./interest-index.ts"
import type { AdsObserver } from "./observer.ts"
import type { KnownNames } from "./sotw-request-reader.ts"
import type { Turns } from "./turns.ts"

/** One served resource type: its generator and who wants what of it. */
export interface ServedType {
  readonly generator: XdsGenerator
  readonly interest: InterestIndex<Subscriber>
}

/** A stream as pushes see it. */
export interface Subscriber {
  readonly markChanged: (typeUrl: string, names: ReadonlyArray<string> | "all") => void
  /** The names lost something that clients use: what the stream holds of them goes ahead of the type's rest. */
  readonly markFirst: (typeUrl: string, names: ReadonlyArray<string>) => void
  /** Sends what is owed when it is its turn, as far as the client takes it. `since`: when the change behind a push was observed. */
  readonly flush: (since?: number) => void
}

/** Who wants to be served, before anyone has looked at it. */
export interface Candidate {
  readonly peer: Peer
  readonly node: NodeIdentity
  readonly proxy: Proxy
  /** whole epoch milliseconds */
  readonly connectedAt: number
}

/** How the admission of a candidate goes on; the methods are called at once or later. */
export interface Admission {
  /** It is who it says it is: from now on its going away is told. False: it has gone already, and nobody is told. */
  readonly begun: (connection: ProxyConnection) => boolean
  /** May be called before `begun`, with a refusal. */
  readonly done: (refusal: AuthenticationError | undefined) => void
}

/** What all streams of one server share. */
export interface AdsContext {
  /** in push order */
  readonly types: ReadonlyMap<string, ServedType>
  readonly frames: FrameCache
  readonly names: KnownNames
  readonly observer: AdsObserver
  /** When streams send what they owe. */
  readonly turns: Turns
  /** epoch milliseconds, with fractions */
  readonly now: () => number
  /** false until the registries have synced: requests are taken in, nothing is sent (S-82) */
  readonly serves: () => boolean
  readonly resolve: (self: Proxy) => ConnectedProxy
  /** Asks whether the candidate may be the node it says, and whether it is welcome. */
  readonly admit: (candidate: Candidate, admission: Admission) => void
  /** A proxy tells of its workload's health. */
  readonly reported: (connection: ProxyConnection, report: HealthReport) => void
  /** A stream whose admission had begun has ended. */
  readonly disconnected: (connection: ProxyConnection) => void
  /** A response is being written; gives the push that it counts for. */
  readonly writeBegun: () => number
  /** It has gone, or its stream has. */
  readonly writeEnded: (push: number) => void
}
