/** Kubernetes labels or annotations: names to values. */
export type Labels = Readonly<Record<string, string>>

/** The one empty map of labels. */
export const noLabels: Labels = Object.freeze({})

/** Names of the labels and annotations that discovery reads or writes. */
export const Label = {
  cluster: "topology.istio.io/cluster",
  network: "topology.istio.io/network",
  gatewayPort: "networking.istio.io/gatewayPort",
  istioLocality: "istio-locality",
  topologyLocality: "topology.istio.io/locality",
  region: "topology.kubernetes.io/region",
  zone: "topology.kubernetes.io/zone",
  subzone: "topology.istio.io/subzone",
  hostname: "kubernetes.io/hostname",
  tlsMode: "security.istio.io/tlsMode",
  tunnel: "networking.istio.io/tunnel",
  workloadName: "service.istio.io/workload-name",
  canonicalName: "service.istio.io/canonical-name",
  canonicalRevision: "service.istio.io/canonical-revision",
  appName: "app.kubernetes.io/name",
  appVersion: "app.kubernetes.io/version",
  app: "app",
  version: "version",
  serviceName: "kubernetes.io/service-name",
  multiClusterServiceName: "multicluster.kubernetes.io/service-name",
  persistentSessionCookie: "istio.io/persistent-session",
  persistentSessionHeader: "istio.io/persistent-session-header",
  enableV2AutoAllocation: "networking.istio.io/enable-autoallocate-ip"
} as const

/** Names of the annotations that discovery reads. */
export const Annotation = {
  exportTo: "networking.istio.io/exportTo",
  canonicalServiceAccounts: "alpha.istio.io/canonical-serviceaccounts",
  kubernetesServiceAccounts: "alpha.istio.io/kubernetes-serviceaccounts",
  nodeSelector: "traffic.istio.io/nodeSelector",
  trafficDistribution: "networking.istio.io/traffic-distribution",
  autoRegistrationGroup: "istio.io/autoRegistrationGroup",
  healthChecksEnabled: "proxy.istio.io/health-checks-enabled",
  /** a readiness probe that the control plane runs: ours, for machines without an agent */
  probe: "istiod-lite.io/probe"
} as const

/** Whether every label of `selector` stands in `labels`. An empty selector selects everything; callers decide what that means. */
export const selects = (selector: Labels, labels: Labels): boolean => {
  for (const name in selector) if (labels[name] !== selector[name]) return false
  return true
}

/** Whether there is at least one label. */
export const hasLabels = (labels: Labels | undefined): labels is Labels => {
  for (const _ in labels) return true
  return false
}

/** Whether both hold the same names and values, in any order. */
export const equalLabels = (a: Labels, b: Labels): boolean => {
  if (a === b) return true
  let count = 0
  for (const name in a) {
    if (a[name] !== b[name]) return false
    count++
  }
  for (const _ in b) count--
  return count === 0
}
