import { compareText } from "@istiod-lite/model"
import { compact, type Json, type JsonRecord } from "@istiod-lite/registry-aggregate"
import type { ConnectionInfo, SubscriptionInfo } from "@istiod-lite/xds-server"

/** The open streams, by the proxy's name. */
export const proxiesJson = (connections: ReadonlyArray<ConnectionInfo>): Json =>
  connections
    .toSorted((a, b) => compareText(nameOfConnection(a), nameOfConnection(b)) || compareText(a.peer, b.peer))
    .map(connectionJson)

/** `name.namespace`, as proxies are called everywhere; the node id of a client that has no namespace. */
export const nameOfConnection = ({ node, proxy }: ConnectionInfo): string =>
  proxy === undefined || proxy.namespace === "" ? node : `${proxy.name}.${proxy.namespace}`

const connectionJson = (connection: ConnectionInfo): JsonRecord => ({
  name: nameOfConnection(connection),
  ...compact({
    node: connection.node,
    type: connection.proxy?.type,
    peer: connection.peer,
    protocol: connection.protocol,
    connectedAt: new Date(connection.connectedAt).toISOString(),
    version: connection.proxy?.istioVersion,
    behindSince:
      connection.behindSince === undefined ? undefined : new Date(connection.behindSince).toISOString()
  }),
  writing: connection.writing,
  subscriptions: connection.subscriptions.map(subscriptionJson)
})

const subscriptionJson = ({
  accepted,
  names,
  refused,
  sent,
  typeUrl,
  wildcard
}: SubscriptionInfo): JsonRecord => ({
  typeUrl,
  names,
  wildcard,
  ...compact({
    sent: sent?.version,
    accepted: accepted?.version,
    // A refusal of something older than what was last sent is history.
    refused: refused?.nonce === sent?.nonce ? refused?.message : undefined
  })
})
