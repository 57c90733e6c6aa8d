import { formatLocality, type ServiceEndpoints } from "@istiod-lite/model"
import type { Client } from "./balance-localities.ts"
import { viewKey } from "./endpoint-view.ts"
import type { PreferredLabels } from "./failover-priority.ts"
import type { LocalityPlan } from "./locality-plan.ts"
import type { AssignmentInput, EndpointsPlan } from "./plan-assignment.ts"

/** Equal for plans whose endpoints are encoded alike. What else they depend on are the endpoints and PeerAuthentication. */
export const chunksKey = (
  { endpoints, service, view }: EndpointsPlan,
  preferred: PreferredLabels | undefined
): string => {
  const labels = preferred === undefined ? "" : JSON.stringify(preferred)
  return `${service.namespace}/${service.hostname}|${viewKey(view, hasRestricted(endpoints))}|${labels}`
}

/** Equal for inputs of equal assignments, as long as endpoints, gateways and PeerAuthentication are the same. */
export const assignmentKey = (
  { name, view }: AssignmentInput,
  plan: EndpointsPlan,
  preferred: PreferredLabels | undefined
): string => {
  const standpoint = plan.view.multiNetwork ? `${view.proxy.network}|${view.ipMode}` : ""
  return `${name}|${chunksKey(plan, preferred)}|${standpoint}|${balanceKey(plan.localities, view)}`
}

/** Where the client is matters only if something is decided by it. */
const balanceKey = (plan: LocalityPlan, client: Client): string => {
  if (plan.kind === "none") return ""
  const from = formatLocality(client.locality)
  if (plan.kind === "distribute") return `${from}|${JSON.stringify(plan.rules)}`
  return plan.byLocality ? `${from}|${JSON.stringify(plan.regions)}` : ""
}

// Asked for every client, and the same until the endpoints change.
const restricted = new WeakMap<ServiceEndpoints, boolean>()

const hasRestricted = (service: ServiceEndpoints): boolean => {
  const known = restricted.get(service)
  if (known !== undefined) return known
  const found = service.groups.some(({ endpoints }) =>
    endpoints.some(({ discoverability }) => discoverability === "DiscoverableFromSameCluster")
  )
  restricted.set(service, found)
  return found
}
