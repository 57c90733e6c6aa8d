import type { Endpoint } from "@istiod-lite/model"
import type { Candidate } from "./candidates.ts"
import { clientSide, outcomeOf } from "./client-side.ts"
import type { Client } from "./clients.ts"
import { portStep } from "./endpoint-steps.ts"
import type { ExplainContext } from "./explain-context.ts"
import { drop, type Explanation, inOrder, notSent, type Step } from "./explanation.ts"
import { addressText, objectName } from "./object-names.ts"
import { heldStep, serviceStep, sourceStep, supersededStep, workloadStep } from "./source-steps.ts"

/**
 * Follows a candidate from the object that names it to a client: what the registries made of it, whether the client
 * sees its service, and what the filters of its assignments say. Nothing is decided here; it is read off the control
 * plane.
 *
 * @param client undefined: a sidecar beside the endpoint
 */
export const explainCandidate = (
  context: ExplainContext,
  candidate: Candidate,
  client: Client | undefined
): Explanation => {
  const { group, told } = candidate
  const service = context.serviceOf(group.namespace, group.hostname)
  const source = sourceStep(candidate)
  if ("held" in told)
    return notSent(told.held.address, group.hostname, [
      source,
      ...(service === undefined ? [] : [serviceStep(candidate, service)]),
      heldStep(told.held, candidate, service)
    ])
  const known = [source, workloadStep(told.endpoint)]
  const address = addressText(told.endpoint)
  if (service === undefined) return notSent(address, undefined, [...known, noService(candidate)])
  const declared = [...known, serviceStep(candidate, service), portStep(candidate, told.endpoint, service)]
  const endpoint = context.joined(group, told.endpoint)
  if (endpoint === undefined) {
    const newer = newerSlice(context, candidate, told.endpoint)
    return notSent(address, service.hostname, [...declared, supersededStep(candidate, newer)])
  }
  const asking = client ?? context.beside(group, endpoint)
  const side = clientSide(context, candidate, { endpoint, service, client: asking })
  const steps = [...declared, ...side.steps]
  return {
    address,
    service: service.hostname,
    client: asking.name,
    outcome: outcomeOf(side.fates, steps),
    chain: inOrder(steps)
  }
}

const noService = ({ group }: Candidate): Step =>
  drop(
    "service",
    "S-13",
    `there is no service ${group.hostname} in namespace ${group.namespace}`,
    `declare it in namespace ${group.namespace}`
  )

/** The slice whose word counts for the endpoint's address. */
const newerSlice = (
  { discovery }: ExplainContext,
  { group }: Candidate,
  endpoint: Endpoint
): string | undefined => {
  const all = discovery.endpoints.get(`${group.namespace}/${group.hostname}`)
  const holder = all?.groups.find(
    ({ endpoints, shard, slice }) =>
      shard === group.shard &&
      slice?.name !== group.slice?.name &&
      endpoints.some(
        ({ addresses, servicePortName }) =>
          addresses[0] === endpoint.addresses[0] && servicePortName === endpoint.servicePortName
      )
  )
  return (
    holder?.slice && objectName("EndpointSlice", { name: holder.slice.name, namespace: holder.namespace })
  )
}
