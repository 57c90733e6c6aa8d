import { untracked } from "@istiod-lite/collections"
import { parseClusterName, visibilityOf } from "@istiod-lite/mesh-policy"
import type { Endpoint, Service } from "@istiod-lite/model"
import type { Candidate } from "./candidates.ts"
import type { Client, Sight } from "./clients.ts"
import { noClusterStep } from "./cluster-step.ts"
import { fateStep, healthStep, lacksPort, networkStep, portNumbers } from "./endpoint-steps.ts"
import type { ExplainContext } from "./explain-context.ts"
import { isDrop, type Outcome, type Step } from "./explanation.ts"
import type { Fate } from "./fates.ts"
import { streamSteps } from "./stream-step.ts"
import { missingPortStep, visibilityStep } from "./visibility-step.ts"

/** The client's side of an endpoint. */
export interface ClientSide {
  readonly steps: ReadonlyArray<Step>
  /** of the clusters of the ports that it serves */
  readonly fates: ReadonlyArray<Fate>
}

/** What a client is told of an endpoint that the index has: visibility, the filters of its clusters, its stream. */
export const clientSide = (
  context: ExplainContext,
  candidate: Candidate,
  {
    client,
    endpoint,
    service
  }: { readonly client: Client; readonly endpoint: Endpoint; readonly service: Service }
): ClientSide => {
  const sight = context.sight(client.proxy)
  const visibility = visibilityOf(context.policy.mesh(untracked), sight.view, service)
  const visible = visibilityStep(visibility, service, sight.view)
  const health = healthStep(candidate, endpoint)
  const alone = [health, networkStep(endpoint, undefined), visible]
  if (visibility._tag !== "Visible" || portNumbers(service, endpoint).size === 0)
    return { steps: alone, fates: [] }
  if (lacksPort(visibility.service, service, endpoint))
    return { steps: [...alone, missingPortStep(visibility.service, sight.view)], fates: [] }
  const clusters = clustersFor(sight, service, endpoint)
  if (clusters.length === 0)
    return { steps: [...alone, noClusterStep(service, endpoint.servicePortName)], fates: [] }
  const fates = clusters.flatMap((name): ReadonlyArray<readonly [string, Fate]> => {
    const fate = context.fates(client.proxy, name).get(endpoint)
    return fate === undefined ? [] : [[name, fate]]
  })
  // A proxyless client asks for hosts that are resolved by DNS, and is answered with nothing (S-60).
  if (fates.length === 0)
    return { steps: [...alone, noClusterStep(service, endpoint.servicePortName)], fates: [] }
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
      ...streamOf(client, fates)
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

const streamOf = (
  client: Client,
  fates: ReadonlyArray<readonly [cluster: string, Fate]>
): ReadonlyArray<Step> => {
  const clusters = fates.filter(([, fate]) => isTold(fate)).map(([cluster]) => cluster)
  return clusters.length === 0 ? [] : streamSteps(client, clusters)
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

/** What all of it comes to. */
export const outcomeOf = (fates: ReadonlyArray<Fate>, steps: ReadonlyArray<Step>): Outcome => {
  if (!fates.some(isTold)) return "not sent"
  const stream = steps.filter(({ stage }) => stage === "stream")
  // A client that refuses has been sent something before; one that has not asked has not.
  if (stream.some(isDrop)) return stream.length > 1 ? "not usable" : "not sent"
  const drops = steps.filter(isDrop)
  if (drops.some(({ stage }) => stage === "health")) return "not usable"
  return drops.length === 0 ? "sent" : "partly sent"
}
