import { type EndpointGroup, formatLocality, type ServiceEndpoints } from "@istiod-lite/model"
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

// Asked for every client, and the same until the endpoints change; of a group, until it does.
const restricted = new WeakMap<ServiceEndpoints | EndpointGroup, boolean>()

const remembered = <A extends ServiceEndpoints | EndpointGroup>(of: A, find: (of: A) => boolean): boolean => {
  const known = restricted.get(of)
  if (known !== undefined) return known
  const found = find(of)
  restricted.set(of, found)
  return found
}

const hasRestricted = (service: ServiceEndpoints): boolean =>
  remembered(service, ({ groups }) => groups.some((group) => remembered(group, isRestricted)))

const isRestricted = ({ endpoints }: EndpointGroup): boolean =>
  endpoints.some(({ discoverability }) => discoverability === "DiscoverableFromSameCluster")
