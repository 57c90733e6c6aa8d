import type { WorkloadFacts } from "../endpoint.ts"
import { noLabels } from "../labels.ts"
import type { WorkloadInstance } from "../workload.ts"
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
