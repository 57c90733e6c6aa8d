import {
  Annotation,
  hasLabels,
  isIp,
  type Labels,
  type Pod,
  type WorkloadEntry,
  workloadKey
} from "@istiod-lite/model"
import type { ExplainSources } from "./explain-sources.ts"
import { drop, type Explanation, notSent, pass, type Step } from "./explanation.ts"
import type { Located } from "./named-objects.ts"
import { labelsText, objectName } from "./object-names.ts"
import { differenceText, missingLabels, type Selector, selectorsOf } from "./selectors.ts"

/** A workload that nothing made an endpoint of, as selectors see it. */
interface Unselected {
  readonly object: string
  readonly namespace: string
  readonly labels: Labels
}

/** Why a pod is an endpoint of nothing: no slice lists it. */
export const explainPod = (sources: ExplainSources, { cluster, object: pod }: Located<Pod>): Explanation => {
  const object = objectName("Pod", pod.meta)
  const { labels, namespace } = pod.meta
  const selectors = selectorsOf(sources, cluster)
  const services = selectors.filter(
    ({ by, labels: wanted, namespace: of }) =>
      by === "Service" && of === namespace && hasLabels(wanted) && !hasLabels(missingLabels(wanted, labels))
  )
  const state = pass("workload", podState(pod))
  const steps =
    services.length === 0
      ? nearestSelectors({ object, namespace, labels }, selectors)
      : services.map((service) =>
          drop(
            "service",
            "S-13",
            `${service.object} selects ${object}, but no EndpointSlice lists it`,
            pod.ips.length === 0
              ? `wait until ${object} has an address in status.podIPs`
              : `list ${pod.ips.join(", ")} in endpoints[] of an EndpointSlice of ${service.object}`
          )
        )
  return notSent(pod.ips[0] ?? "", undefined, [pass("source", `${object} is there`), state, ...steps])
}

const podState = ({ deleting, phase, ready }: Pod): string =>
  [phase, ready ? "ready" : "not ready", ...(deleting ? ["being deleted"] : [])].join(", ")

/** Why a WorkloadEntry is an endpoint of nothing (S-21, S-32, S-34). */
export const explainWorkloadEntry = (sources: ExplainSources, entry: WorkloadEntry): Explanation => {
  const { objects, workloads } = sources
  const cluster = objects.configCluster
  const object = objectName("WorkloadEntry", entry.meta)
  const source = pass("source", `${object} is there`)
  const workload = workloads.all.get(workloadKey({ kind: "WorkloadEntry", cluster, ...entry.meta }))
  if (workload === undefined)
    return notSent(entry.spec.address, undefined, [source, unhealthyStep(object, entry)])
  const { labels } = workload.facts
  const unselected = { object, namespace: entry.meta.namespace, labels }
  const selectors = selectorsOf(sources, cluster)
  const reasons = selectors.flatMap((selector) => refusal(selector, entry, labels))
  return notSent(entry.spec.address, undefined, [
    source,
    pass("workload", `labels ${labelsText({ ...entry.spec.labels, ...entry.meta.labels }) || "none"}`),
    ...(reasons.length > 0 ? reasons : nearestSelectors(unselected, selectors))
  ])
}

const unhealthyStep = (object: string, { healthy }: WorkloadEntry): Step =>
  drop(
    "health",
    "S-34",
    `condition Healthy of ${object} is ${healthy === undefined ? "absent" : "False"}, and its health is checked`,
    `make its health check pass, so that status.conditions[Healthy] of ${object} is "True"; ` +
      `or remove annotation ${Annotation.healthChecksEnabled}`
  )

/** Selectors that would take the machine by its labels, and do not. */
const refusal = (selector: Selector, { meta, spec }: WorkloadEntry, labels: Labels): ReadonlyArray<Step> => {
  const { by, object, takesMachines } = selector
  if (!hasLabels(selector.labels) || hasLabels(missingLabels(selector.labels, labels))) return []
  if (selector.namespace !== meta.namespace) return []
  if (!takesMachines)
    return [
      drop(
        "service",
        "S-21",
        `${object} is headless or an alias, and takes no machines`,
        `give ${object} a cluster IP`
      )
    ]
  if (by === "ServiceEntry" && !isIp(spec.address) && spec.address !== "")
    return [
      drop(
        "service",
        "S-32",
        `${object} (resolution ${selector.resolution}) does not take address ${spec.address}`,
        `set an IP in spec.address, or resolution DNS in ${object}`
      )
    ]
  return []
}

/** The selectors that come closest: empty ones, those of other namespaces, and those that miss by one label. */
const nearestSelectors = (
  { labels, namespace, object }: Unselected,
  selectors: ReadonlyArray<Selector>
): ReadonlyArray<Step> => {
  const own = selectors.filter((selector) => selector.namespace === namespace)
  const steps = [
    ...own
      .filter((selector) => selector.by === "ServiceEntry" && !hasLabels(selector.labels))
      .map(emptySelector),
    ...selectors
      .filter((selector) => selector.namespace !== namespace && hasLabels(selector.labels))
      .filter((selector) => !hasLabels(missingLabels(selector.labels, labels)))
      .map((selector) => otherNamespace(selector, object, namespace)),
    ...own.flatMap((selector) => nearMiss(selector, object, labels))
  ]
  return steps.length > 0
    ? steps
    : [
        drop(
          "service",
          "S-32",
          `no Service or ServiceEntry of namespace ${namespace} selects ${object}`,
          `put labels on ${object} that a spec.selector or spec.workloadSelector of its namespace names`
        )
      ]
}

const emptySelector = ({ field, object }: Selector): Step =>
  drop(
    "service",
    "D-16",
    `${object} has an empty workloadSelector, which selects nothing`,
    `name labels in ${field} of ${object}, or leave spec.workloadSelector out and list spec.endpoints`
  )

const otherNamespace = (selector: Selector, object: string, namespace: string): Step =>
  drop(
    "service",
    selector.by === "Service" ? "S-21" : "S-32",
    `${selector.object} would select it, but selects in namespace ${selector.namespace} only; ${object} is in ${namespace}`,
    `move ${object} to namespace ${selector.namespace}, or declare the service in ${namespace}`
  )

const nearMiss = (selector: Selector, object: string, labels: Labels): ReadonlyArray<Step> => {
  const missing = missingLabels(selector.labels, labels)
  const wanted = Object.keys(selector.labels).length
  const lacks = Object.keys(missing).length
  // A selector of one label comes close only if the workload has that label, with another value.
  const isClose =
    lacks === 1 && (wanted > 1 || Object.keys(missing).some((name) => labels[name] !== undefined))
  if (!isClose) return []
  return [
    drop(
      "service",
      selector.by === "Service" ? "S-21" : "S-32",
      `${selector.object} does not select it: label ${differenceText(missing, labels)}`,
      `set label ${labelsText(missing)} on ${object}, or change ${selector.field} of ${selector.object}`
    )
  ]
}
