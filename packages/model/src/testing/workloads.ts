import type { Graph, Merged } from "@istiod-lite/collections"
import type { Workloads } from "../capabilities.ts"
import type { WorkloadFacts } from "../endpoint.ts"
import { noLabels } from "../labels.ts"
import { labelKeysOf, type WorkloadInstance } from "../workload.ts"
import { testTime } from "./builders.ts"

/** Machine `shop/erp-1` at 192.0.2.1, as a WorkloadEntry gives it. */
export const workload = ({
  facts,
  ...fields
}: Partial<Omit<WorkloadInstance, "facts">> & {
  readonly facts?: Partial<WorkloadFacts>
} = {}): WorkloadInstance => {
  const { name = "erp-1", namespace = "shop" } = fields
  return {
    kind: "WorkloadEntry",
    name,
    namespace,
    cluster: "Kubernetes",
    facts: {
      addresses: ["192.0.2.1"],
      labels: noLabels,
      serviceAccount: "",
      network: "",
      locality: "",
      cluster: "Kubernetes",
      tlsMode: "disabled",
      weight: 0,
      workloadName: name,
      namespace,
      hostname: "",
      subdomain: "",
      node: "",
      ...facts
    },
    health: "UNKNOWN",
    sendUnhealthy: false,
    discoverability: "",
    ports: {},
    addressKind: "ip",
    origin: { kind: "WorkloadEntry", name, namespace, creationTime: testTime },
    ...fields
  }
}

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
