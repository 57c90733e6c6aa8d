/** Who follows proxies as they come, report and go: the registration of machines. */
import { Context, Effect } from "effect"
import type { NodeIdentity, Proxy } from "./proxy.ts"
import type { AuthenticationError, Peer } from "./xds.ts"

/** A stream whose node was accepted. It is the same object for as long as the stream lives. */
export interface ProxyConnection {
  /** unique in this process */
  readonly id: string
  readonly peer: Peer
  readonly node: NodeIdentity
  readonly proxy: Proxy
  /** SPIFFE ids that the connection proves; empty if it proves none */
  readonly identities: ReadonlyArray<string>
  /** epoch milliseconds */
  readonly connectedAt: number
}

/** What a proxy says of its own workload: a request for the type `HealthInformation` without, or with, `error_detail`. */
export interface HealthReport {
  readonly healthy: boolean
  /** why it is not; empty if it is */
  readonly message: string
}

/**
 * Told of every stream, in this order: `connected` once, before anything is served; `reported` any number of times;
 * `disconnected` once, however the stream ends, also if `connected` refused it. Of one whose node is not believed there is
 * `refused` alone.
 */
export const ProxyLifecycle = Context.Reference<{
  /** Failing refuses the stream with PERMISSION_DENIED. What takes long belongs in a fiber of one's own. */
  readonly connected: (connection: ProxyConnection) => Effect.Effect<void, AuthenticationError>
  /** Returns at once. */
  readonly reported: (connection: ProxyConnection, report: HealthReport) => void
  /** Returns at once. */
  readonly disconnected: (connection: ProxyConnection) => void
  /** The `ProxyAuthenticator` did not let it in. Returns at once. */
  readonly refused: (refusal: AuthenticationError) => void
}>("@istiod-lite/model/ProxyLifecycle", {
  defaultValue: () => ({
    connected: () => Effect.void,
    reported: () => undefined,
    disconnected: () => undefined,
    refused: () => undefined
  })
})
