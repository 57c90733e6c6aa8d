import { parseLocality, type NodeIdentity } from "@istiod-lite/model"
import type { ScenarioProxy } from "./scenario.ts"

/** The version that every client of the corpus says it is. */
const istioVersion = "1.32.0"

/**
 * The node that this client sends on its first request, in the form of Istio's sidecars, gateways and gRPC agents.
 * A machine (`vm`) sends what a sidecar does; it differs by having no pod.
 *
 * Source: istio pkg/bootstrap/config.go, pilot/pkg/model/context.go.
 */
export const nodeOf = (proxy: ScenarioProxy, configCluster: string): NodeIdentity => {
  const { namespace } = proxy
  const type = proxy.type === "gateway" ? "router" : "sidecar"
  const { region, subzone, zone } = parseLocality(proxy.locality ?? "")
  return {
    id: `${type}~${proxy.ips[0] ?? ""}~${proxy.workload ?? proxy.name}.${namespace}~${namespace}.svc.cluster.local`,
    metadata: {
      ISTIO_VERSION: istioVersion,
      NAMESPACE: namespace,
      CLUSTER_ID: proxy.cluster ?? configCluster,
      INSTANCE_IPS: proxy.ips.join(","),
      WORKLOAD_NAME: proxy.workload ?? proxy.name,
      ...(proxy.type === "grpc" ? { GENERATOR: "grpc" } : {}),
      ...(proxy.labels === undefined ? {} : { LABELS: proxy.labels }),
      ...(proxy.network === undefined ? {} : { NETWORK: proxy.network }),
      ...(proxy.node === undefined ? {} : { NODE_NAME: proxy.node }),
      ...(proxy.serviceAccount === undefined ? {} : { SERVICE_ACCOUNT: proxy.serviceAccount }),
      ...proxy.metadata
    },
    locality: { region, zone, subZone: subzone }
  }
}
