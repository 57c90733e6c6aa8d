import { type Pod, workloadKey } from "@istiod-lite/model"
import type { ExplainSources } from "./explain-sources.ts"
import { drop, type Explanation, notSent, pass, type Step } from "./explanation.ts"
import type { Located } from "./named-objects.ts"
import { nearestSelectors } from "./nearest-selectors.ts"
import { labelsText, objectName } from "./object-names.ts"
import { isSelectedBy, type Selector, selectorsOf } from "./selectors.ts"

/** Why a pod is an endpoint of nothing: no slice lists it. */
export const explainPod = (sources: ExplainSources, { cluster, object: pod }: Located<Pod>): Explanation => {
  const object = objectName("Pod", pod.meta)
  const { labels, namespace } = pod.meta
  const selectors = selectorsOf(sources, cluster)
  const services = selectors.filter(
    (selector) =>
      selector.by === "Service" && selector.namespace === namespace && isSelectedBy(selector, labels)
  )
  const state = pass("workload", podState(pod))
  const steps =
    services.length === 0
      ? nearestSelectors({ object, namespace, labels, rule: "S-13" }, selectors)
      : services.map((service) => unlistedStep(service, pod))
  return notSent(pod.ips[0] ?? "", undefined, [pass("source", `${object} is there`), state, ...steps])
}

/** ServiceEntries select pods only while these are ready, and not on their way out (S-18). */
export const explainUnavailable = (
  sources: ExplainSources,
  { cluster, object: pod }: Located<Pod>
): ReadonlyArray<Explanation> => {
  const { labels, namespace } = pod.meta
  if (sources.workloads.all.get(workloadKey({ kind: "Pod", cluster, ...pod.meta })) !== undefined) return []
  const object = objectName("Pod", pod.meta)
  return selectorsOf(sources, cluster)
    .filter(({ by, namespace: of }) => by === "ServiceEntry" && of === namespace)
    .filter((selector) => isSelectedBy(selector, labels))
    .map((selector) =>
      notSent(pod.ips[0] ?? "", undefined, [
        pass("source", `${object} is there`),
        pass("service", `${selector.object} selects ${labelsText(selector.labels)}`),
        unavailableStep(pod)
      ])
    )
}

/** A Service takes the pods that its slices list. */
export const unlistedStep = (service: Selector, { ips, meta }: Pod): Step => {
  const object = objectName("Pod", meta)
  return drop(
    "service",
    "S-13",
    `${service.object} selects ${object}, but no EndpointSlice lists it`,
    ips.length === 0
      ? `wait until ${object} has an address in status.podIPs`
      : `list ${ips.join(", ")} in endpoints[] of an EndpointSlice of ${service.object}`
  )
}

export const unavailableStep = (pod: Pod): Step => {
  const object = objectName("Pod", pod.meta)
  return drop(
    "workload",
    "S-18",
    `${object} is ${podState(pod)}: ServiceEntries take pods only while they are ready and not being deleted`,
    `make ${object} ready`
  )
}

const podState = ({ deleting, phase, ready }: Pod): string =>
  [phase, ready ? "ready" : "not ready", ...(deleting ? ["being deleted"] : [])].join(", ")
