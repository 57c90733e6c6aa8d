import { formatLocality } from "@istiod-lite/model"
import { type Client, comparesLabels } from "./balance-localities.ts"
import { viewKey } from "./endpoint-view.ts"
import { preferredLabels } from "./failover-priority.ts"
import type { LocalityPlan } from "./locality-plan.ts"
import type { AssignmentInput, EndpointsPlan } from "./plan-assignment.ts"

/** Equal for plans whose endpoints are encoded alike. What else they depend on are the endpoints and PeerAuthentication. */
export const chunksKey = ({ service, view }: EndpointsPlan): string =>
  `${service.namespace}/${service.hostname}|${viewKey(view)}`

/** Equal for inputs of equal assignments, as long as endpoints, gateways and PeerAuthentication are the same. */
export const assignmentKey = ({ name, view }: AssignmentInput, plan: EndpointsPlan): string => {
  const ipMode = plan.view.multiNetwork ? view.ipMode : ""
  return `${name}|${chunksKey(plan)}|${ipMode}|${balanceKey(plan.localities, view)}`
}

/** Where the client is matters only if something is decided by it. */
const balanceKey = (plan: LocalityPlan, client: Client): string => {
  if (plan.kind === "none") return ""
  const from = formatLocality(client.locality)
  if (plan.kind === "distribute") return `${from}|${JSON.stringify(plan.rules)}`
  const labels = comparesLabels(plan, client.labels)
    ? JSON.stringify(preferredLabels(plan.labels, client.labels))
    : ""
  return plan.byLocality ? `${from}|${JSON.stringify(plan.regions)}|${labels}` : labels
}
