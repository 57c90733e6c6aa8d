/** What the xDS server and the packages around it agree on: resources, generators, push requests, who connects. */
import { type Clock, Context, Data, Effect } from "effect"
import type { NodeIdentity, Proxy } from "./proxy.ts"

/** One resource, ready to be wrapped in an Any. */
export interface XdsResource {
  readonly name: string
  /** of the content alone, such as a hash: equal versions of one name mean equal bytes, on every replica (S-84) */
  readonly version: string
  /** the encoded message; the same array for as long as it is the same content, so that streams share frames */
  readonly bytes: Uint8Array
  /**
   * The same in pieces, for those who need not have it in one: large resources are sent without being put together. The
   * same list for as long as it is the same content. Left out: there is one piece.
   */
  readonly parts?: ReadonlyArray<Uint8Array>
  /**
   * Only a collection has it, a resource whose name ends with a `*` for its members' last part. Not the collection is sent
   * then but its members; its version stands for all of theirs and never leaves the server. Delta only.
   *
   * @param since the version that the client was sent last; undefined, or one that is not remembered: whatever it may
   * have of this name is to be put right
   */
  readonly members?: (since: string | undefined) => XdsChanges
}

/** Resources to put in place, and names of some to drop. */
export interface XdsChanges {
  readonly resources: ReadonlyArray<XdsResource>
  readonly removed: ReadonlyArray<string>
}

/** The two methods of AggregatedDiscoveryService: state-of-the-world and incremental. */
export type XdsProtocol = "sotw" | "delta"

/**
 * A proxy that is connected, as the generators see it: what its node says, completed by what the registries know
 * (S-51). While nothing about it changes it is the same object, so generators may key caches by it.
 */
export type ConnectedProxy = Proxy

/** What a push request may change of one type: everything, or the resources about these subjects. */
export type PushScope = "all" | ReadonlySet<string>

/** How one resource type is made. The server knows of the mesh only what these tell. */
export interface XdsGenerator {
  readonly typeUrl: string
  /** Position in the push order, lowest first: clusters, endpoints, listeners, routes, then the rest (S-81). */
  readonly order: number
  /**
   * Clusters and listeners: a request without names asks for all there are, and a state-of-the-world response holds
   * everything the stream subscribed to. For other types a response may hold only what changed.
   */
  readonly allResourcesRequired: boolean
  /**
   * The resources of these names as this proxy sees them; `*` among them means all there are (only where
   * `allResourcesRequired`). A name that is left out of the result does not exist: delta streams are told that it
   * was removed. Endpoints never leave one out: an unknown service has an empty assignment (S-60).
   *
   * Called on every push, so it should be a look-up. It must not throw.
   *
   * @param protocol how the stream speaks, for what only one of the two can carry; left out: `sotw`
   */
  readonly generate: (
    names: ReadonlyArray<string>,
    proxy: ConnectedProxy,
    protocol?: XdsProtocol
  ) => ReadonlyArray<XdsResource>
  /** What a push may change of this type. Left out: anything, and the server compares versions. */
  readonly scopeOf?: (request: PushRequest) => PushScope
  /**
   * The subjects of which something that clients use has become unusable: what a stream holds of them is sent anew
   * before all else that it is owed of the type and of those after it (D-2, S-81). For types of which a response may
   * hold only what changed.
   */
  readonly removalsOf?: (request: PushRequest) => ReadonlySet<string>
  /** The subject of a name, as `scopeOf` names it, such as a cluster's hostname. Left out: the name itself. */
  readonly subjectOf?: (name: string) => string
  /**
   * The resource, of the type whose resources refer to this one's, that refers to this name. When that one is sent again
   * the client may wait for this one again. Left out: any of that type may.
   */
  readonly parentOf?: (name: string) => string
  /** Another type that is made with this one, of the same parts: served wherever this one is. */
  readonly companion?: XdsGenerator
}

/** The generators of all types that are served. */
export class XdsGenerators extends Context.Service<XdsGenerators, ReadonlyArray<XdsGenerator>>()(
  "@istiod-lite/model/XdsGenerators"
) {}

/**
 * The time now in epoch milliseconds, with fractions: what a change takes from its observation to a client is often less
 * than one. All that is compared must be from here: the clock in whole milliseconds may be off by some.
 */
export const timeOf = (clock: Clock.Clock): number => Number(clock.currentTimeNanosUnsafe()) / 1e6

/** What changed, as the push planner tells it: Istio's service, endpoint and proxy updates in one value. */
export interface PushRequest {
  /** Everything may have changed, such as the mesh configuration or a network gateway. */
  readonly full: boolean
  /** `namespace/hostname` of services whose definition changed */
  readonly services: ReadonlySet<string>
  /** `namespace/hostname` of services whose endpoints changed */
  readonly endpoints: ReadonlySet<string>
  /**
   * those of `services` and `endpoints` that lost an endpoint which clients may use: deleted, unready, drained. They
   * go ahead of everything that waits (D-2). Left out: none.
   */
  readonly removals?: ReadonlySet<string>
  /** Proxies whose own facts may have changed, by node id, by `name.namespace` or by any of their IP addresses. */
  readonly proxies: ReadonlySet<string>
  /** how often each cause occurred */
  readonly reasons: ReadonlyMap<string, number>
  /** when the first of the events was observed, in epoch milliseconds and fractions of them (`timeOf`) */
  readonly since: number
}

const none: ReadonlySet<never> = new Set()

const union = (a: ReadonlySet<string>, b: ReadonlySet<string>): ReadonlySet<string> =>
  b.size === 0 ? a : a.size === 0 ? b : new Set([...a, ...b])

const sum = (a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): ReadonlyMap<string, number> => {
  const total = new Map(a)
  for (const [reason, count] of b) total.set(reason, (total.get(reason) ?? 0) + count)
  return total
}

/** One request that asks for what both ask, since the earlier of both. Order does not matter. */
export const mergePushRequests = (a: PushRequest, b: PushRequest): PushRequest => ({
  full: a.full || b.full,
  services: union(a.services, b.services),
  endpoints: union(a.endpoints, b.endpoints),
  removals: union(a.removals ?? none, b.removals ?? none),
  proxies: union(a.proxies, b.proxies),
  reasons: sum(a.reasons, b.reasons),
  since: Math.min(a.since, b.since)
})

/** The sink of push requests. */
export class XdsUpdater extends Context.Service<
  XdsUpdater,
  {
    /** Takes a request and returns at once; what waits is merged. */
    readonly push: (request: PushRequest) => void
  }
>()("@istiod-lite/model/XdsUpdater") {}

/** Completes what a proxy says of itself by what the registries know of it (S-51); by default it adds nothing. */
export const ProxyResolver = Context.Reference<(proxy: Proxy) => ConnectedProxy>(
  "@istiod-lite/model/ProxyResolver",
  { defaultValue: () => (proxy) => proxy }
)

/** The other end of a connection, before it has said who it is. */
export interface Peer {
  /** `address:port` */
  readonly address: string
  /** URIs of the verified client certificate, such as SPIFFE ids; empty without one */
  readonly identities: ReadonlyArray<string>
  /** the bearer token of the stream's `authorization` header, not verified yet; undefined without one */
  readonly bearerToken?: string | undefined
}

/** A peer may not claim the node identity it claims. */
export class AuthenticationError extends Data.TaggedError("AuthenticationError")<{
  readonly peer: string
  readonly node: string
  readonly reason: string
}> {
  override get message(): string {
    return `Cannot accept node ${this.node} from ${this.peer}: ${this.reason}`
  }
}

/**
 * Who is at the other end of a stream, and which node identity it may claim; by default any (S-84). Gives the SPIFFE ids
 * that the connection proves, by default those of the client certificate.
 */
export const ProxyAuthenticator = Context.Reference<{
  readonly authenticate: (
    peer: Peer,
    node: NodeIdentity
  ) => Effect.Effect<ReadonlyArray<string>, AuthenticationError>
}>("@istiod-lite/model/ProxyAuthenticator", {
  defaultValue: () => ({ authenticate: ({ identities }) => Effect.succeed(identities) })
})
