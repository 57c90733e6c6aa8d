import {
  type ClusterName,
  effectivePolicy,
  isClusterLocal,
  type MergedDestinationRule,
  type ProxyView
} from "@istiod-lite/mesh-policy"
import {
  type DestinationRule,
  findPort,
  isPersistentSession,
  type MeshConfigValue,
  type Proxy,
  type Service,
  type ServiceEndpoints,
  type TrafficPolicy
} from "@istiod-lite/model"
import type { EndpointView, PeerMode } from "./endpoint-view.ts"
import type { EmptyReason } from "./exclusion.ts"
import { type LocalityPlan, planLocalities } from "./locality-plan.ts"
import type { NetworkGateways } from "./network-gateways.ts"
import { tlsDecision } from "./tls-mode.ts"

/** Everything that the endpoints of one cluster depend on, for one proxy. */
export interface AssignmentInput {
  /** the name as it was asked for, which the assignment bears */
  readonly name: string
  /** undefined = the name is no cluster's */
  readonly cluster: ClusterName | undefined
  /** the service of that host in the proxy's scope */
  readonly service: Service | undefined
  /** of the service's namespace and host (S-47) */
  readonly endpoints: ServiceEndpoints | undefined
  readonly view: ProxyView
  readonly rule: MergedDestinationRule | undefined
  readonly gateways: NetworkGateways
  readonly peerMode: PeerMode
  readonly mesh: MeshConfigValue
}

/** The decisions about a cluster that has endpoints to look at. */
export interface EndpointsPlan {
  readonly kind: "endpoints"
  readonly service: Service
  readonly endpoints: ServiceEndpoints
  readonly view: EndpointView
  readonly localities: LocalityPlan
  /** SNI-DNAT gateways pass TLS through unseen, so that only endpoints with mutual TLS are safe behind them (S-50) */
  readonly mutualTlsOnly: boolean
}

/** What is to be done, before any endpoint is looked at. */
export type AssignmentPlan = EndpointsPlan | { readonly kind: "empty"; readonly reason: EmptyReason }

/** Decides all that does not depend on single endpoints. */
export const planAssignment = (input: AssignmentInput): AssignmentPlan => {
  const { cluster, endpoints, mesh, service } = input
  if (cluster === undefined) return empty({ _tag: "UnknownName", name: input.name })
  if (service === undefined) return empty({ _tag: "UnknownService", hostname: cluster.hostname })
  const port = findPort(service, cluster.port)
  if (port === undefined) {
    const ports = service.ports.map(({ number }) => number)
    return empty({ _tag: "UnknownPort", port: cluster.port, ports })
  }
  if (isResolvedByDns(service)) return empty({ _tag: "ResolvedByDns" })
  if (endpoints === undefined) return empty({ _tag: "NoEndpoints" })
  const rule = input.rule?.rule
  const policy = effectivePolicy(rule, cluster.port, cluster.subset)
  const { proxy } = input.view
  return {
    kind: "endpoints",
    service,
    endpoints,
    view: {
      port: port.name,
      subset: subsetOf(rule, cluster.subset),
      onlyNode: service.kube?.nodeLocal ? proxy.node : undefined,
      clusterLocal: isClusterLocal(mesh, service.hostname),
      cluster: proxy.cluster,
      networkView: proxy.networkView,
      multiNetwork: input.gateways.all.length > 0,
      unhealthyKeptBack: unhealthyKeptBack(service, policy, mesh),
      sendsDraining: isPersistentSession(service.labels),
      tls: tlsDecision(rule, cluster.port, cluster.subset),
      peerMode: input.peerMode,
      tunnels: canTunnel(proxy),
      dualStack: mesh.dualStack
    },
    localities: planLocalities(policy, service, mesh.localityLbSetting),
    mutualTlsOnly: cluster.sniDnat
  }
}

const empty = (reason: EmptyReason): AssignmentPlan => ({ kind: "empty", reason })

/** The client asks DNS itself; clusters of such services hold their endpoints and ask us for none. */
const isResolvedByDns = ({ resolution }: Service): boolean =>
  resolution === "dnsLB" || resolution === "dnsRoundRobinLB" || resolution === "dynamicDNS"

/** A subset that is not declared, or has no labels, is the whole service. */
const subsetOf = (rule: DestinationRule | undefined, name: string): EndpointView["subset"] => {
  const subset = name === "" ? undefined : rule?.subsets.find((declared) => declared.name === name)
  return subset === undefined || Object.keys(subset.labels).length === 0
    ? undefined
    : { name, labels: subset.labels }
}

/** trafficDistribution needs the unhealthy to be known, whatever else is said: that is how clients notice a failed zone. */
const unhealthyKeptBack = (
  service: Service,
  policy: TrafficPolicy,
  mesh: MeshConfigValue
): EndpointView["unhealthyKeptBack"] => {
  if (service.trafficDistribution !== "Any") return undefined
  if (!mesh.sendUnhealthyEndpoints) return "switchedOff"
  return (policy.outlierDetection?.minHealthPercent ?? 0) > 0 ? "minHealthPercent" : undefined
}

/** Proxyless clients cannot tunnel; others can unless they say so (S-66). */
const canTunnel = (proxy: Proxy): boolean =>
  proxy.type !== "grpc" && !["true", "1"].includes(String(proxy.metadata.DISABLE_HBONE_SEND).toLowerCase())
