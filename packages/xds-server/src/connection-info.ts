import type { ConnectedProxy } from "@istiod-lite/model"
import type { Acknowledgement } from "./acknowledgement.ts"
import type { XdsProtocol } from "./response-encoding.ts"

/** One resource type on a stream, as it stands. */
export interface SubscriptionInfo extends Acknowledgement {
  readonly typeUrl: string
  /** how many names are subscribed to; the wildcard is not one of them */
  readonly names: number
  readonly wildcard: boolean
  /** the names themselves; the stream's own set, which changes with it */
  readonly subscribed: ReadonlySet<string>
  /** versions of resources by name as last sent, undefined where there was none; the stream's own map too */
  readonly versions: ReadonlyMap<string, string | undefined>
  /** something more may have to be sent */
  readonly owes: boolean
}

/** One open stream, as it stands: what `istiod-lite proxies` shows. */
export interface ConnectionInfo {
  /** the node id; empty until the first request */
  readonly node: string
  /** undefined until the node is accepted */
  readonly proxy: ConnectedProxy | undefined
  /** `address:port` */
  readonly peer: string
  readonly protocol: XdsProtocol
  /** epoch milliseconds */
  readonly connectedAt: number
  /** A response is on its way: the client's flow control has not let it go yet. */
  readonly writing: boolean
  /**
   * when the oldest change was observed that it has not acknowledged, in epoch milliseconds: it is owed, on its way, or was
   * refused; undefined: it is up to date
   */
  readonly behindSince: number | undefined
  readonly subscriptions: ReadonlyArray<SubscriptionInfo>
}
