import { type Pod, type Service, type WorkloadEntry, workloadKey } from "@istiod-lite/model"
import { findCandidates } from "./candidates.ts"
import type { ExplainSources } from "./explain-sources.ts"
import { isDrop, type Step } from "./explanation.ts"
import type { Located } from "./named-objects.ts"
import type { NearMiss } from "./near-miss.ts"
import { nearMiss } from "./nearest-selectors.ts"
import { declaringObject, objectName } from "./object-names.ts"
import { unavailableStep, unlistedStep } from "./pod-absence.ts"
import { isSelectedBy, type Selector, selectorsOf } from "./selectors.ts"
import { nearSlices } from "./near-slices.ts"
import { makeIsTold } from "./told-objects.ts"
import { refusal, unhealthyStep } from "./workload-entry-absence.ts"

/**
 * Slices, pods and WorkloadEntries of a service's namespace that miss it by little, and are an endpoint of nothing: what
 * another service has is where it belongs. The reasons are those of `explain endpoint`.
 */
export const nearMisses = (sources: ExplainSources, service: Service): ReadonlyArray<NearMiss> => {
  const { namespace } = service
  const isTold = makeIsTold(findCandidates(sources, { group: (group) => group.namespace === namespace }))
  const { clusters, config, configCluster } = sources.objects
  const selectorsIn = (cluster: string): ReadonlyArray<Selector> =>
    selectorsOf(sources, cluster).filter(
      (selector) => selector.namespace === namespace && selector.object === declaringObject(service)
    )
  const inClusters = [...clusters.values()].flatMap(({ cluster, objects }) => {
    const selectors = selectorsIn(cluster)
    const slices = nearSlices(sources, cluster, service, isTold)
    const pods = [...objects.Pod.values()]
      .filter((pod) => pod.meta.namespace === namespace && !isOver(pod))
      .map((object) => ({ cluster, object }))
      .filter((pod) => !isTold("Pod", pod) && !slices.lists(pod.object))
    return [...slices.misses, ...pods.flatMap((pod) => podMiss(sources, pod, selectors))]
  })
  const machines = [...config.WorkloadEntry.values()].filter(
    (object) =>
      object.meta.namespace === namespace && !isTold("WorkloadEntry", { cluster: configCluster, object })
  )
  const selectors = selectorsIn(configCluster)
  return [...inClusters, ...machines.flatMap((entry) => machineMiss(sources, entry, selectors))]
}

/** It has run and is never going to serve again. */
const isOver = ({ phase }: Pod): boolean => phase === "Succeeded" || phase === "Failed"

const miss = (
  object: string,
  addresses: ReadonlyArray<string>,
  causes: ReadonlyArray<Step>
): ReadonlyArray<NearMiss> => {
  const drops = causes.filter(isDrop)
  return drops.length === 0 ? [] : [{ object, addresses: addresses.filter(Boolean), causes: drops }]
}

const podMiss = (
  { workloads }: ExplainSources,
  { cluster, object: pod }: Located<Pod>,
  selectors: ReadonlyArray<Selector>
): ReadonlyArray<NearMiss> => {
  const { labels, namespace } = pod.meta
  const object = objectName("Pod", pod.meta)
  const isAvailable = workloads.all.get(workloadKey({ kind: "Pod", cluster, ...pod.meta })) !== undefined
  const causes = selectors.flatMap((selector) => {
    if (!isSelectedBy(selector, labels))
      return nearMiss(selector, { object, namespace, labels, rule: "S-13" })
    if (selector.by === "Service") return [unlistedStep(selector, pod)]
    return isAvailable ? [] : [unavailableStep(pod)]
  })
  return miss(object, pod.ips, causes)
}

const machineMiss = (
  { objects, workloads }: ExplainSources,
  entry: WorkloadEntry,
  selectors: ReadonlyArray<Selector>
): ReadonlyArray<NearMiss> => {
  const { namespace } = entry.meta
  const object = objectName("WorkloadEntry", entry.meta)
  const key = workloadKey({ kind: "WorkloadEntry", cluster: objects.configCluster, ...entry.meta })
  const workload = workloads.all.get(key)
  const labels = workload?.facts.labels ?? { ...entry.spec.labels, ...entry.meta.labels }
  const causes = selectors.flatMap((selector) => {
    if (!isSelectedBy(selector, labels))
      return nearMiss(selector, { object, namespace, labels, rule: "S-21" })
    return workload === undefined ? [unhealthyStep(object, entry)] : refusal(selector, entry, labels)
  })
  return miss(object, [entry.spec.address], causes)
}
