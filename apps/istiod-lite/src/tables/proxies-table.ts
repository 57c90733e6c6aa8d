import type { ProxiesAnswer } from "./answers.ts"
import { table } from "./table.ts"

/** One line per proxy and resource type: how much it asks for, and whether it has accepted what it was sent. */
export const proxiesTable = (proxies: typeof ProxiesAnswer.Type): string =>
  table(
    ["PROXY", "KIND", "PEER", "PROTOCOL", "TYPE", "NAMES", "STATE"],
    proxies.flatMap(({ behindSince, name, peer, protocol, subscriptions, type }) => {
      const about = [name, type ?? "", peer ?? "", protocol ?? ""]
      return subscriptions.length === 0
        ? [[...about, "", "", "connected"]]
        : subscriptions.map((subscription) => [
            ...about,
            subscription.typeUrl.split(".").at(-1) ?? subscription.typeUrl,
            subscription.names,
            behindSince === undefined
              ? stateOf(subscription)
              : `${stateOf(subscription)}, behind since ${behindSince}`
          ])
    })
  )

const stateOf = ({ accepted, refused, sent }: (typeof ProxiesAnswer.Type)[number]["subscriptions"][number]) =>
  refused !== undefined
    ? `refused: ${refused}`
    : sent === undefined
      ? "waiting"
      : sent === accepted
        ? "in sync"
        : "sent"
