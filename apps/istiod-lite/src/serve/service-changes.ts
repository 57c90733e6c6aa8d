import type { Change } from "@istiod-lite/collections"
import type { Service } from "@istiod-lite/model"
import { shortName } from "./endpoint-changes.ts"

/** What happened to a service, in words: `shop/cart: new service`. */
export const serviceChangeText = ({ now, old }: Change<Service>): string => {
  const { hostname, namespace } = now ?? old ?? { hostname: "", namespace: "" }
  const what = old === undefined ? "new service" : now === undefined ? "service deleted" : "service changed"
  return `${shortName(namespace, hostname)}: ${what}`
}
