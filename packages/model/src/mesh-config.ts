import type { LabelSelector } from "./discovery-selectors.ts"
import type { MeshNetworks } from "./network.ts"

/** Istio's LocalityLoadBalancerSetting. */
export interface LocalityLbSetting {
  readonly enabled: boolean
  readonly distribute: ReadonlyArray<{ readonly from: string; readonly to: Readonly<Record<string, number>> }>
  readonly failover: ReadonlyArray<{ readonly from: string; readonly to: string }>
  readonly failoverPriority: ReadonlyArray<string>
}

/** How automatic addresses are given (D-8). */
export type AddressMode = "status" | "istio-v1" | "stable"

/** MeshConfig fields that discovery reads, and the switches that Istio takes from its environment. */
export interface MeshConfigValue {
  readonly trustDomain: string
  readonly trustDomainAliases: ReadonlyArray<string>
  /** of Kubernetes hostnames */
  readonly domainSuffix: string
  /** where mesh-wide policies and the network label live */
  readonly rootNamespace: string
  readonly defaultServiceExportTo: ReadonlyArray<string>
  readonly defaultDestinationRuleExportTo: ReadonlyArray<string>
  readonly defaultVirtualServiceExportTo: ReadonlyArray<string>
  readonly localityLbSetting: LocalityLbSetting | undefined
  /** Only namespaces that one of them selects count; none: all count. */
  readonly discoverySelectors: ReadonlyArray<LabelSelector>
  /** S-52: settings of cluster-local hosts */
  readonly serviceSettings: ReadonlyArray<{
    readonly clusterLocal: boolean
    readonly hosts: ReadonlyArray<string>
  }>
  /** host of the control plane itself, cluster-local by default (S-52) */
  readonly discoveryHost: string
  readonly networks: MeshNetworks
  readonly addressMode: AddressMode
  /** ISTIO_DUAL_STACK (S-16) */
  readonly dualStack: boolean
  /** PILOT_ENABLE_PERSISTENT_SESSION_FILTER: bears on listeners and clusters, not on endpoints (ADR 0008) */
  readonly persistentSessions: boolean
  /** PILOT_AUTO_SEND_UNHEALTHY_ENDPOINTS (S-61) */
  readonly sendUnhealthyEndpoints: boolean
  /**
   * PILOT_ENABLE_AMBIENT: only whether clients of both families get a service's addresses of both (S-48). Endpoints
   * carry tunnel metadata with or without it: their workload's label decides, as in Istio (S-66, D-3).
   */
  readonly tunnelMetadata: boolean
  /**
   * ENABLE_MCS_SERVICE_DISCOVERY: endpoints of a Service are for clients of its own cluster alone, unless a
   * ServiceExport of the cluster names the Service
   */
  readonly exportedServicesOnly: boolean
  /**
   * ENABLE_MCS_HOST: Services with a ServiceImport have a host `NAME.NAMESPACE.svc.clusterset.local` besides; counts
   * only with `exportedServicesOnly`
   */
  readonly clusterSetHosts: boolean
  /**
   * ENABLE_MCS_CLUSTER_LOCAL: a Service's own host leads to endpoints of the client's cluster alone, whether it is
   * exported or not; counts only with `clusterSetHosts`
   */
  readonly ownClusterHosts: boolean
  /** ENABLE_MCS_AUTO_EXPORT: every Service that may leave its cluster is to have a ServiceExport */
  readonly exportsServices: boolean
  /** cluster → trust domain, where a cluster has its own */
  readonly clusterTrustDomains: Readonly<Record<string, string>>
}

/** What counts without a configuration: Istio's defaults, and ours for what Istio leaves to switches. */
export const defaultMeshConfig: MeshConfigValue = Object.freeze({
  trustDomain: "cluster.local",
  trustDomainAliases: [],
  domainSuffix: "cluster.local",
  rootNamespace: "istio-system",
  defaultServiceExportTo: ["*"],
  defaultDestinationRuleExportTo: ["*"],
  defaultVirtualServiceExportTo: ["*"],
  // Istio's default mesh has locality load balancing on; it acts only where there is outlier detection (S-67).
  localityLbSetting: { enabled: true, distribute: [], failover: [], failoverPriority: [] },
  discoverySelectors: [],
  serviceSettings: [],
  discoveryHost: "istiod.istio-system.svc.cluster.local",
  networks: {},
  addressMode: "stable",
  dualStack: false,
  persistentSessions: true,
  sendUnhealthyEndpoints: true,
  tunnelMetadata: false,
  exportedServicesOnly: false,
  clusterSetHosts: false,
  ownClusterHosts: false,
  exportsServices: false,
  clusterTrustDomains: {}
})

/** The SPIFFE identity of a service account (S-17). */
export const spiffeUri = (trustDomain: string, namespace: string, serviceAccount: string): string =>
  `spiffe://${trustDomain}/ns/${namespace}/sa/${serviceAccount}`

/** The trust domain of a cluster's identities. */
export const trustDomainOf = (mesh: MeshConfigValue, cluster: string): string =>
  mesh.clusterTrustDomains[cluster] ?? mesh.trustDomain

/** The only key of the mesh configuration's collection. */
export const meshKey = "mesh"
