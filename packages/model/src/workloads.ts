import type { Graph, Merged, OnDemand } from "@istiod-lite/collections"
import type { WorkloadExchange, WorkloadLookup } from "./capabilities.ts"
import { labelKeysOf, type WorkloadInstance } from "./workload.ts"

/** The shared workloads of a graph, empty until someone contributes. */
export const makeWorkloads = (graph: Graph): WorkloadExchange["Service"] => {
  const machines = makeLookup(graph, "machines", { onDemand: false })
  const all = makeLookup(graph, "workloads", { onDemand: true })
  return {
    ...all,
    machines,
    contribute: (workloads, what = "machines") => {
      const withdrawals = graph.transaction(() => [
        all.all.add(workloads),
        ...(what === "pods" ? [] : [machines.all.add(workloads)])
      ])
      return () => graph.transaction(() => withdrawals.forEach((withdraw) => withdraw()))
    }
  }
}

const makeLookup = (
  graph: Graph,
  name: string,
  when: OnDemand
): WorkloadLookup & { readonly all: Merged<WorkloadInstance> } => {
  const all = graph.merge<WorkloadInstance>(name, [], when)
  return {
    all,
    byLabel: graph.index(`${name} by label`, all, labelKeysOf, when),
    byIp: graph.index(
      `${name} by IP`,
      all,
      ({ addressKind, facts }) => (addressKind === "ip" ? facts.addresses : []),
      when
    )
  }
}
