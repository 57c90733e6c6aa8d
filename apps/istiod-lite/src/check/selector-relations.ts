import { hasLabels, type Labels, selects, similarName } from "@istiod-lite/model"
import { serviceNameOfSlice } from "@istiod-lite/registry-kube"
import type { ManifestFault } from "@istiod-lite/source-files"
import { labelsText } from "../explain/object-names.ts"
import type { CheckedRun, Placed } from "./checked-run.ts"
import { finding } from "./finding.ts"

/** Selectors of Services and ServiceEntries that none of the namespace's workloads matches (S-21, S-32). */
export const selectorRelations = (run: CheckedRun): ReadonlyArray<ManifestFault> => {
  const workloads = workloadsByNamespace(run)
  return [
    ...run
      .all("Service")
      // An ExternalName is an alias. Slices with endpoints come from pods that were selected, wherever they are.
      .filter((service) => service.object.type !== "ExternalName" && !hasEndpoints(run, service))
      .flatMap((service) => {
        const { meta, selector } = service.object
        return unmatched(selector, workloads.get(meta.namespace), (fault) =>
          finding(service, { path: "spec.selector", ...fault })
        )
      }),
    ...run.all("ServiceEntry").flatMap((entry) => {
      const { meta, workloadSelector } = entry.object
      return unmatched(workloadSelector, workloads.get(meta.namespace), (fault) =>
        finding(entry, { path: "spec.workloadSelector.labels", ...fault })
      )
    })
  ]
}

const hasEndpoints = (run: CheckedRun, { object: { meta } }: Placed<"Service">): boolean =>
  run
    .inNamespace("EndpointSlice", meta.namespace)
    .some(({ object }) => object.endpoints.length > 0 && serviceNameOfSlice(object) === meta.name)

/** What is wrong with a selector, unless there is nothing that it could select: then the workloads are elsewhere. */
const unmatched = (
  wanted: Labels | undefined,
  workloads: ReadonlyArray<Labels> = [],
  toFinding: (fault: Pick<ManifestFault, "reason" | "remedy">) => ManifestFault
): ReadonlyArray<ManifestFault> => {
  if (!hasLabels(wanted) || workloads.length === 0) return []
  if (workloads.some((labels) => selects(wanted, labels))) return []
  const similar = similarLabels(wanted, workloads)
  return [
    toFinding({
      reason: `no Pod and no WorkloadEntry of its namespace has ${labelsText(wanted)}`,
      remedy:
        similar === undefined
          ? "correct the selector, or the labels of the workloads that are meant"
          : `did you mean ${labelsText(similar)}?`
    })
  ]
}

/** The labels that workloads have, each set once; namespaces with faulty ones, whose labels are not known, are left out. */
const workloadsByNamespace = (run: CheckedRun): ReadonlyMap<string, ReadonlyArray<Labels>> => {
  const pods = run.all("Pod").map(({ object: { meta } }) => ({ ...meta, all: meta.labels }))
  // A machine's own labels come before those of its spec (S-34).
  const machines = run
    .all("WorkloadEntry")
    .map(({ object: { meta, spec } }) => ({ ...meta, all: { ...spec.labels, ...meta.labels } }))
  const groups = Map.groupBy([...pods, ...machines], ({ namespace }) => namespace)
  const known = [...groups].filter(
    ([namespace]) => !run.isRejected("Pod", namespace) && !run.isRejected("WorkloadEntry", namespace)
  )
  return new Map(
    known.map(([namespace, workloads]) => [namespace, distinct(workloads.map(({ all }) => all))])
  )
}

/** Pods of one kind have the same labels, mostly. */
const distinct = (all: ReadonlyArray<Labels>): ReadonlyArray<Labels> => [
  ...new Map(all.map((labels) => [JSON.stringify(labels), labels])).values()
]

/** Labels of a workload that differ from the wanted ones by typing errors in their values. */
const similarLabels = (wanted: Labels, workloads: ReadonlyArray<Labels>): Labels | undefined => {
  for (const labels of workloads) {
    const similar = Object.entries(wanted).map(([name, value]) => {
      const actual = labels[name]
      return [name, actual === undefined ? undefined : similarName(value, [actual], 2)] as const
    })
    const found = similar.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]))
    if (found.length === similar.length) return Object.fromEntries(found)
  }
  return undefined
}
