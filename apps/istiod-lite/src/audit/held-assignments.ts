import type { ConnectedProxy } from "@istiod-lite/model"
import { isLedsVersion } from "@istiod-lite/xds-eds"
import { endpointTypeUrl } from "@istiod-lite/xds-proto"
import type { ConnectionInfo, SubscriptionInfo } from "@istiod-lite/xds-server"
import { nameOfConnection } from "../query/proxies-json.ts"

/** An assignment as a proxy has acknowledged it. */
export interface HeldAssignment {
  readonly name: string
  /** undefined: it has been sent none, though it asked */
  readonly version: string | undefined
  readonly proxy: ConnectedProxy
  /** as people call the proxy */
  readonly who: string
  /** what the stream holds now, and by which it is told from other streams */
  readonly stream: SubscriptionInfo["versions"]
}

/**
 * The proxy and its endpoint subscription where nothing is under way: all that was sent has been accepted, and no more
 * is due. What a client refused counts as held: refusals are told elsewhere.
 */
const settled = (
  connection: ConnectionInfo
): { readonly proxy: ConnectedProxy; readonly endpoints: SubscriptionInfo } | undefined => {
  const { proxy, subscriptions, writing } = connection
  const endpoints = subscriptions.find(({ typeUrl }) => typeUrl === endpointTypeUrl)
  if (proxy === undefined || endpoints === undefined || writing || endpoints.owes) return undefined
  const { accepted, sent } = endpoints
  return sent !== undefined && accepted?.nonce === sent.nonce ? { proxy, endpoints } : undefined
}

/**
 * What the settled ones among the connections hold of these names. Not what was sent endpoint by endpoint: how that is
 * divided has a history, and nothing made anew is like it.
 */
export const heldAssignments = (
  connections: ReadonlyArray<ConnectionInfo>,
  names: ReadonlyArray<string>
): ReadonlyArray<HeldAssignment> =>
  connections.flatMap((connection) => {
    const found = settled(connection)
    if (found === undefined) return []
    const { endpoints, proxy } = found
    const who = nameOfConnection(connection)
    return names.flatMap((name) => {
      const version = endpoints.versions.get(name)
      return endpoints.subscribed.has(name) && !isLedsVersion(version ?? "")
        ? [{ name, version, proxy, who, stream: endpoints.versions }]
        : []
    })
  })

/** Those that are held by the same streams in the same versions, and still settled. */
export const stillHeld = <H extends HeldAssignment>(
  held: ReadonlyArray<H>,
  connections: ReadonlyArray<ConnectionInfo>
): ReadonlyArray<H> => {
  const streams = new Map(
    connections.flatMap((connection) => {
      const found = settled(connection)
      return found === undefined ? [] : [[found.endpoints.versions, found] as const]
    })
  )
  return held.flatMap((one) => {
    const now = streams.get(one.stream)
    const unchanged = now?.endpoints.subscribed.has(one.name) && one.stream.get(one.name) === one.version
    // The proxy may have been looked at anew meanwhile.
    return now !== undefined && unchanged ? [{ ...one, proxy: now.proxy }] : []
  })
}

/** All names that any of the connections asks endpoints of. */
export const subscribedNames = (connections: ReadonlyArray<ConnectionInfo>): ReadonlySet<string> => {
  const names = new Set<string>()
  for (const { subscriptions } of connections)
    for (const { subscribed, typeUrl } of subscriptions)
      if (typeUrl === endpointTypeUrl) for (const name of subscribed) names.add(name)
  return names
}
