import { untracked } from "@istiod-lite/collections"
import { parseClusterName, visibilityOf } from "@istiod-lite/mesh-policy"
import { type Endpoint, objectKey, type Service } from "@istiod-lite/model"
import type { Candidate } from "./candidates.ts"
import type { Client, Sight } from "./clients.ts"
import { noClusterStep } from "./cluster-step.ts"
import { fateStep, healthStep, lacksPort, networkStep, portNumbers, portStep } from "./endpoint-steps.ts"
import type { ExplainContext } from "./explain-context.ts"
import { drop, type Explanation, inOrder, isDrop, notSent, type Outcome, type Step } from "./explanation.ts"
import type { Fate } from "./fates.ts"
import { addressText, objectName } from "./object-names.ts"
import { objectsBehind } from "./provenance.ts"
import { heldStep, serviceStep, sourceStep, supersededStep, workloadStep } from "./source-steps.ts"
import { streamSteps } from "./stream-step.ts"
import { importedPortStep, visibilityStep } from "./visibility-step.ts"

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
  const madeFrom = objectsBehind(
    context.graph,
    context.registries.endpoints,
    candidate.key,
    workloadOf(candidate)
  )
  if ("held" in told)
    return notSent(
      told.held.address,
      group.hostname,
      [
        source,
        ...(service === undefined ? [] : [serviceStep(candidate, service)]),
        heldStep(told.held, candidate, service)
      ],
      madeFrom
    )
  const known = [source, workloadStep(told.endpoint)]
  const address = addressText(told.endpoint)
  if (service === undefined) return notSent(address, undefined, [...known, noService(candidate)], madeFrom)
  const declared = [...known, serviceStep(candidate, service), portStep(candidate, told.endpoint, service)]
  const endpoint = context.joined(group, told.endpoint)
  if (endpoint === undefined) {
    const newer = newerSlice(context, candidate, told.endpoint)
    return notSent(address, service.hostname, [...declared, supersededStep(candidate, newer)], madeFrom)
  }
  const asked = client ?? context.beside(group, endpoint)
  const seen = seenBy(context, candidate, { endpoint, service, client: asked })
  const steps = [...declared, ...seen.steps]
  return {
    address,
    service: service.hostname,
    client: asked.name,
    outcome: outcomeOf(seen.fates, steps),
    chain: inOrder(steps),
    madeFrom
  }
}

const workloadOf = ({ told }: Candidate): string =>
  "held" in told ? told.held.object.slice(told.held.object.indexOf(" ") + 1) : objectKey(told.endpoint.origin)

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

/** The client's side of an endpoint. */
interface Seen {
  readonly steps: ReadonlyArray<Step>
  /** of the clusters of the ports that it serves */
  readonly fates: ReadonlyArray<Fate>
}

const seenBy = (
  context: ExplainContext,
  candidate: Candidate,
  {
    client,
    endpoint,
    service
  }: { readonly client: Client; readonly endpoint: Endpoint; readonly service: Service }
): Seen => {
  const sight = context.sight(client.proxy)
  const visibility = visibilityOf(context.policy.mesh(untracked), sight.view, service)
  const visible = visibilityStep(visibility, service, sight.view)
  const health = healthStep(candidate, endpoint)
  const alone = [health, networkStep(endpoint, undefined), visible]
  if (visibility._tag !== "Visible" || portNumbers(service, endpoint).size === 0)
    return { steps: alone, fates: [] }
  if (lacksPort(visibility.service, service, endpoint))
    return { steps: [...alone, importedPortStep(visibility.service, sight.view)], fates: [] }
  const clusters = clustersFor(sight, service, endpoint)
  if (clusters.length === 0)
    return { steps: [...alone, noClusterStep(service, endpoint.servicePortName)], fates: [] }
  const fates = clusters.flatMap((name): ReadonlyArray<readonly [string, Fate]> => {
    const fate = context.fates(client.proxy, name).get(endpoint)
    return fate === undefined ? [] : [[name, fate]]
  })
  const told = fates.map(([, fate]) => fate)
  const filtered = filterSteps(fates)
  return {
    steps: [
      // A filter that is about health says the same, and knows more.
      ...(filtered.some((step) => isDrop(step) && step.stage === "health") ? [] : [health]),
      networkStep(
        endpoint,
        told.find(({ _tag }) => _tag === "BehindGateways")
      ),
      visible,
      ...filtered,
      ...(told.some(isTold) ? streamSteps(client) : [])
    ],
    fates: told
  }
}

const clustersFor = ({ clusters }: Sight, service: Service, endpoint: Endpoint): ReadonlyArray<string> => {
  const numbers = portNumbers(service, endpoint)
  return (clusters.get(service.hostname) ?? []).filter((name) =>
    numbers.has(parseClusterName(name)?.port ?? 0)
  )
}

const isTold = (fate: Fate): boolean => fate._tag !== "Excluded"

/** What the filters say, each thing once. To be in one subset and not in another is as it should be. */
const filterSteps = (fates: ReadonlyArray<readonly [cluster: string, Fate]>): ReadonlyArray<Step> => {
  const hasSubset = fates.some(([name, fate]) => isTold(fate) && parseClusterName(name)?.subset !== "")
  const steps = new Map<string, Step>()
  for (const [name, fate] of fates) {
    const isOtherSubset = fate._tag === "Excluded" && fate.exclusion.reason._tag === "OtherSubset"
    const { outcome, ...step } = fateStep(name, fate)
    steps.set(step.text, { ...step, outcome: isOtherSubset && hasSubset ? "note" : outcome })
  }
  return [...steps.values()]
}

const outcomeOf = (fates: ReadonlyArray<Fate>, steps: ReadonlyArray<Step>): Outcome => {
  if (!fates.some(isTold)) return "not sent"
  const drops = steps.filter(isDrop)
  if (drops.some(({ stage }) => stage === "health")) return "not usable"
  return drops.length === 0 ? "sent" : "partly sent"
}
