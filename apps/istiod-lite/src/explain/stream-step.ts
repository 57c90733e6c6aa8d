import { endpointTypeUrl } from "@istiod-lite/xds-proto"
import type { Client } from "./clients.ts"
import { drop, note, pass, type Step } from "./explanation.ts"

/** Whether the client has accepted the endpoints that it was sent last (S-80). Nothing for clients that are not connected. */
export const streamSteps = ({ connection, name }: Client): ReadonlyArray<Step> => {
  if (connection === undefined) return []
  const asked = connection.subscriptions.find(({ typeUrl }) => typeUrl === endpointTypeUrl)
  if (asked === undefined)
    return [
      drop(
        "stream",
        "S-80",
        `${name} has not asked for endpoints yet`,
        `look at the client: it has to subscribe to EDS`
      )
    ]
  const { accepted, refused, sent } = asked
  if (sent === undefined) return [note("stream", "asked for; nothing has been sent yet")]
  if (refused !== undefined && refused.nonce === sent.nonce)
    return [
      drop(
        "stream",
        "S-80",
        `${name} refused version ${sent.version}: ${refused.message}`,
        `mend what the client refused`
      )
    ]
  return [
    accepted?.nonce === sent.nonce
      ? pass("stream", `version ${sent.version} sent and acknowledged`)
      : note("stream", `version ${sent.version} sent, not acknowledged yet`)
  ]
}
