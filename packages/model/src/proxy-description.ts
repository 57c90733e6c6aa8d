import { Schema } from "effect"
import { parseLocality } from "./locality.ts"
import type { NodeIdentity } from "./proxy.ts"

const Texts = Schema.Record(Schema.String, Schema.String)

/** A client as people write it down: an entry of a scenario's `proxies.yaml`, or the file of `render --proxy`. */
export const ProxyDescription = Schema.Struct({
  name: Schema.String,
  /** a machine (`vm`) sends what a sidecar does; it differs by having no pod */
  type: Schema.Literals(["sidecar", "vm", "gateway", "grpc"]),
  namespace: Schema.String,
  ips: Schema.Array(Schema.String),
  /** name of its pod or WorkloadEntry; the proxy's name if absent */
  workload: Schema.optionalKey(Schema.String),
  labels: Schema.optionalKey(Texts),
  /** `region/zone/subzone` */
  locality: Schema.optionalKey(Schema.String),
  network: Schema.optionalKey(Schema.String),
  cluster: Schema.optionalKey(Schema.String),
  node: Schema.optionalKey(Schema.String),
  serviceAccount: Schema.optionalKey(Schema.String),
  metadata: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown)),
  grpcListeners: Schema.optionalKey(Schema.Array(Schema.String))
})
export type ProxyDescription = typeof ProxyDescription.Type

/** The version that a described client says it is. */
const istioVersion = "1.32.0"

/**
 * The node that this client sends on its first request, in the form of Istio's sidecars, gateways and gRPC agents.
 *
 * Source: istio pkg/bootstrap/config.go, pilot/pkg/model/context.go.
 */
export const nodeOf = (proxy: ProxyDescription, configCluster: string): NodeIdentity => {
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
