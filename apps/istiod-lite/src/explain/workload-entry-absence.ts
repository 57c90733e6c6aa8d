import { Annotation, type Labels, type WorkloadEntry, workloadKey } from "@istiod-lite/model"
import type { ExplainSources } from "./explain-sources.ts"
import { drop, type Explanation, notSent, pass, type Step } from "./explanation.ts"
import { nearestSelectors } from "./nearest-selectors.ts"
import { labelsText, objectName } from "./object-names.ts"
import { isSelectedBy, type Selector, selectorsOf } from "./selectors.ts"

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
  const unselected = { object, namespace: entry.meta.namespace, labels, rule: "S-21" } as const
  const selectors = selectorsOf(sources, cluster)
  const reasons = selectors.flatMap((selector) => refusal(selector, entry, labels))
  return notSent(entry.spec.address, undefined, [
    source,
    pass("workload", `labels ${labelsText({ ...entry.spec.labels, ...entry.meta.labels }) || "none"}`),
    ...(reasons.length > 0 ? reasons : nearestSelectors(unselected, selectors))
  ])
}

export const unhealthyStep = (object: string, { healthy }: WorkloadEntry): Step =>
  drop(
    "health",
    "S-34",
    `condition Healthy of ${object} is ${healthy === undefined ? "absent" : "False"}, and its health is checked`,
    `make its health check pass, so that status.conditions[Healthy] of ${object} is "True"; ` +
      `or remove annotation ${Annotation.healthChecksEnabled}`
  )

/** Why a selector that matches the machine's labels does not take it; empty if it does not match. */
export const refusal = (
  selector: Selector,
  { meta, spec }: WorkloadEntry,
  labels: Labels
): ReadonlyArray<Step> => {
  const { by, object, resolution, takesMachines } = selector
  if (selector.namespace !== meta.namespace || !isSelectedBy(selector, labels)) return []
  if (by === "Service")
    return [
      takesMachines
        ? drop(
            "service",
            "S-21",
            `${object} selects it, but has no ports or is exported to nobody`,
            `look at spec.ports of ${object}`
          )
        : drop(
            "service",
            "S-21",
            `${object} is headless or an alias, and takes no machines`,
            `give ${object} a cluster IP`
          )
    ]
  return [
    resolution === "DNS_ROUND_ROBIN"
      ? drop(
          "service",
          "S-35",
          `${object} (resolution DNS_ROUND_ROBIN) takes one endpoint of each port, and an earlier one has it`,
          `set spec.resolution: DNS in ${object} to have all of them`
        )
      : drop(
          "service",
          "S-32",
          `${object} (resolution ${resolution ?? "NONE"}) does not take address ${JSON.stringify(spec.address)}`,
          `set an IP in spec.address; names need spec.resolution: DNS in ${object}`
        )
  ]
}
