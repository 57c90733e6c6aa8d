import { hasLabels, type Labels, type ServiceEntry } from "@istiod-lite/model"
import type { ExplainSources } from "./explain-sources.ts"
import { labelsText, objectName } from "./object-names.ts"

/** A selector of workloads, and who has it. */
export interface Selector {
  /** `Service shop/cart` */
  readonly object: string
  /** `spec.selector` */
  readonly field: string
  readonly namespace: string
  readonly labels: Labels
  readonly by: "Service" | "ServiceEntry"
  /** headless, an alias, …: a Service that takes no machines; a ServiceEntry always does */
  readonly takesMachines: boolean
  readonly resolution: ServiceEntry["resolution"] | undefined
}

/** Selectors of a cluster's Services and of the ServiceEntries, the empty ones too. */
export const selectorsOf = (
  { objects }: Pick<ExplainSources, "objects">,
  cluster: string
): ReadonlyArray<Selector> => [
  ...[...(objects.clusters.get(cluster)?.objects.Service.values() ?? [])].map(
    ({ clusterIP, meta, selector, type }): Selector => ({
      object: objectName("Service", meta),
      field: "spec.selector",
      namespace: meta.namespace,
      labels: selector,
      by: "Service",
      takesMachines: clusterIP !== "None" && type !== "ExternalName",
      resolution: undefined
    })
  ),
  ...[...objects.config.ServiceEntry.values()].flatMap(
    ({ meta, resolution, workloadSelector }): ReadonlyArray<Selector> =>
      workloadSelector === undefined
        ? []
        : [
            {
              object: objectName("ServiceEntry", meta),
              field: "spec.workloadSelector.labels",
              namespace: meta.namespace,
              labels: workloadSelector,
              by: "ServiceEntry",
              takesMachines: true,
              resolution
            }
          ]
  )
]

/** The labels of a selector that a workload lacks. */
export const missingLabels = (selector: Labels, labels: Labels): Labels =>
  Object.fromEntries(Object.entries(selector).filter(([name, value]) => labels[name] !== value))

/** Whether a workload has all the labels that a selector of its namespace names; an empty one selects nothing. */
export const isSelectedBy = ({ labels: wanted }: Pick<Selector, "labels">, labels: Labels): boolean =>
  hasLabels(wanted) && !hasLabels(missingLabels(wanted, labels))

/** `app is "cart", not "carts"` */
export const differenceText = (missing: Labels, labels: Labels): string =>
  Object.entries(missing)
    .map(([name, wanted]) => {
      const actual = labels[name]
      return `${name} is ${actual === undefined ? "missing" : JSON.stringify(actual)}, not ${JSON.stringify(wanted)}`
    })
    .join("; ") || labelsText(labels)
