import { endpointTypeUrl } from "@istiod-lite/xds-proto"
import type { SubscriptionInfo } from "@istiod-lite/xds-server"
import type { Client } from "./clients.ts"
import { drop, note, pass, type Step } from "./explanation.ts"

/**
 * Whether the client has asked for clusters that an endpoint is in, was sent them, and has accepted that (S-80).
 * Nothing for clients that are not connected.
 *
 * @param clusters in which the endpoint is sent; clients need not ask for all of them
 */
export const streamSteps = (
  { connection, name }: Client,
  clusters: ReadonlyArray<string>
): ReadonlyArray<Step> => {
  if (connection === undefined) return []
  const asked = connection.subscriptions.find(({ typeUrl }) => typeUrl === endpointTypeUrl)
  const wanted = clusters.filter((cluster) => asked?.wildcard === true || asked?.subscribed.has(cluster))
  if (asked === undefined || wanted.length === 0) {
    const what = clusters.length === 1 ? clusters[0] : `any of ${clusters.join(", ")}`
    const remedy = `look at the client's clusters (CDS, bootstrap): EDS is sent for those that it asks for`
    return [drop("stream", "S-80", `${name} has not asked for ${what}`, remedy)]
  }
  return [...wanted.map((cluster) => sentStep(cluster, asked)), ...answerSteps(name, asked)]
}

const sentStep = (cluster: string, { owes, versions }: SubscriptionInfo): Step => {
  const version = versions.get(cluster)
  if (version === undefined) return note("stream", `${cluster}: asked for, not sent yet`)
  return owes
    ? note("stream", `${cluster}: version ${version} sent, something newer may be on its way`)
    : pass("stream", `${cluster}: version ${version} sent`)
}

/** What the client said to the last response. */
const answerSteps = (name: string, { accepted, refused, sent }: SubscriptionInfo): ReadonlyArray<Step> => {
  if (sent === undefined) return []
  if (refused?.nonce === sent.nonce)
    return [
      drop(
        "stream",
        "S-80",
        `${name} refused the last response: ${refused.message}`,
        `mend what the client says; until then it keeps what it had`
      )
    ]
  return [
    accepted?.nonce === sent.nonce
      ? pass("stream", "the last response is acknowledged")
      : note("stream", "the last response is not acknowledged yet")
  ]
}
