import type { Index, Reader } from "@istiod-lite/collections"
import {
  labelKeysOfSelector,
  type Labels,
  type MeshConfigValue,
  selects,
  type ServiceEntry,
  type WorkloadInstance
} from "@istiod-lite/model"
import { takesHostnames } from "./convert-service-entry.ts"
import { convertInlineEndpoint, hostAsWorkload } from "./convert-workload-entry.ts"

/** Workloads that an entry's selector finds, in S-32's order. An empty selector finds nothing (D-16). */
const selectedWorkloads = (
  read: Reader,
  byLabel: Index<WorkloadInstance>,
  entry: ServiceEntry,
  selector: Labels
): ReadonlyArray<WorkloadInstance> => {
  const [labelKey] = labelKeysOfSelector(entry.meta.namespace, selector)
  if (labelKey === undefined) return []
  return read
    .lookup(byLabel, labelKey)
    .map(([, workload]) => workload)
    .filter(
      (workload) =>
        workload.addressKind !== "unix" &&
        (workload.addressKind !== "hostname" || takesHostnames(entry.resolution)) &&
        selects(selector, workload.facts.labels)
    )
}

/** The workloads behind one host of an entry (S-32): selected, inline, or the host itself where the client asks DNS. */
export const workloadsOfHost = (
  read: Reader,
  byLabel: Index<WorkloadInstance>,
  entry: ServiceEntry,
  hostname: string,
  { cluster, mesh }: { readonly cluster: string; readonly mesh: MeshConfigValue }
): ReadonlyArray<WorkloadInstance> => {
  if (entry.workloadSelector !== undefined)
    return selectedWorkloads(read, byLabel, entry, entry.workloadSelector)
  if (entry.endpoints.length === 0)
    return takesHostnames(entry.resolution) ? [hostAsWorkload(hostname, entry.meta, cluster)] : []
  return entry.endpoints.map((spec, i) => convertInlineEndpoint(spec, i, entry.meta, cluster, mesh))
}
