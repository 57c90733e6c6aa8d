import type { Graph, Merged } from "@istiod-lite/collections"
import type { Workloads } from "../capabilities.ts"
import { labelKeysOf, type WorkloadInstance } from "../workload.ts"

/** The shared workloads of a test's graph; `all` takes what a test contributes. */
export const workloads = (graph: Graph): Workloads & { readonly all: Merged<WorkloadInstance> } => {
  const all = graph.merge<WorkloadInstance>("workloads")
  return {
    all,
    byLabel: graph.index("workloads by label", all, labelKeysOf),
    byIp: graph.index("workloads by IP", all, ({ addressKind, facts }) =>
      addressKind === "ip" ? facts.addresses : []
    )
  }
}
