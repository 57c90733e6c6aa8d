import { untracked } from "@istiod-lite/collections"
import { visibilityOf } from "@istiod-lite/mesh-policy"
import { hasLabels, objectKey, type Service, serviceKey } from "@istiod-lite/model"
import { type Candidate, findCandidates } from "./candidates.ts"
import type { Client } from "./clients.ts"
import { noClusterStep } from "./cluster-step.ts"
import type { ExplainContext } from "./explain-context.ts"
import { drop, isDrop, type Step } from "./explanation.ts"
import { declaringObject, labelsText } from "./object-names.ts"
import { visibilityStep } from "./visibility-step.ts"

/** Everything that any registry tells of a service's endpoints. */
export const candidatesOfService = (context: ExplainContext, service: Service): ReadonlyArray<Candidate> =>
  findCandidates(context, {
    group: ({ hostname, namespace }) => hostname === service.hostname && namespace === service.namespace
  })

/** What is wrong with a service as a whole, whatever its endpoints. */
export const serviceFindings = (
  context: ExplainContext,
  service: Service,
  candidates: ReadonlyArray<Candidate>,
  client: Client | undefined
): ReadonlyArray<Step> => [
  ...visibilityFindings(context, service, client),
  ...(service.resolution === "clientSideLB" ? [] : [noClusterStep(service, service.ports[0]?.name ?? "")]),
  ...selectorFindings(context, service, candidates),
  ...portFindings(context, service)
]

const visibilityFindings = (
  { policy, sight }: ExplainContext,
  service: Service,
  client: Client | undefined
): ReadonlyArray<Step> => {
  if (client === undefined) return []
  const { view } = sight(client.proxy)
  return [visibilityStep(visibilityOf(policy.mesh(untracked), view, service), service, view)].filter(isDrop)
}

const selectorFindings = (
  { objects }: ExplainContext,
  service: Service,
  candidates: ReadonlyArray<Candidate>
): ReadonlyArray<Step> => {
  const object = declaringObject(service)
  const entry = objects.config.ServiceEntry.get(
    objectKey({ namespace: service.namespace, name: service.objectName })
  )
  if (entry?.workloadSelector !== undefined && !hasLabels(entry.workloadSelector))
    return [
      drop(
        "service",
        "D-16",
        `${object} has an empty workloadSelector, which selects nothing`,
        `name labels in spec.workloadSelector.labels of ${object}, or leave spec.workloadSelector out and list spec.endpoints`
      )
    ]
  if (candidates.length > 0 || service.resolution === "alias") return []
  if (service.provider === "Kubernetes")
    return [
      drop(
        "source",
        "S-13",
        `no EndpointSlice of namespace ${service.namespace} has endpoints for ${object}` +
          (hasLabels(service.labelSelectors)
            ? `, and no WorkloadEntry is selected by ${labelsText(service.labelSelectors)}`
            : ""),
        `see that pods have the labels of spec.selector of ${object}, and that slices have label kubernetes.io/service-name: ${service.name}`
      )
    ]
  return [
    hasLabels(service.labelSelectors)
      ? drop(
          "service",
          "S-32",
          `${object} selects ${labelsText(service.labelSelectors)}, and no workload of namespace ${service.namespace} has these labels`,
          `put the labels on pods or WorkloadEntries of namespace ${service.namespace}, or change spec.workloadSelector.labels of ${object}`
        )
      : drop(
          "source",
          "S-32",
          `${object} lists no endpoints`,
          `list addresses in spec.endpoints of ${object}`
        )
  ]
}

/** Ports that no endpoint serves although there are endpoints: nearly always a name that differs. */
const portFindings = ({ discovery }: ExplainContext, service: Service): ReadonlyArray<Step> => {
  const groups = discovery.endpoints.get(serviceKey(service.namespace, service.hostname))?.groups ?? []
  const served = new Set(
    groups.flatMap(({ endpoints }) => endpoints.map(({ servicePortName }) => servicePortName))
  )
  if (served.size === 0) return []
  const names = [...served].map((name) => JSON.stringify(name)).join(", ")
  return service.ports
    .filter(({ name }) => !served.has(name))
    .map(({ name, number }) =>
      drop(
        "port name",
        "S-62",
        `no endpoint serves port ${number}, named ${JSON.stringify(name)}: endpoints have ${names}`,
        `give the port one name in ${declaringObject(service)} (spec.ports[].name) and in its slices (ports[].name)`
      )
    )
}
