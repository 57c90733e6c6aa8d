import { equalLabels, hasLabels, Label, type Labels } from "./labels.ts"
import type { Protocol } from "./protocol.ts"

/** Where a definition comes from; `Kubernetes` registries take precedence (S-40). Others are custom registries' names. */
export type Provider = "Kubernetes" | "External" | (string & {})

/** A port that clients call. */
export interface ServicePort {
  readonly name: string
  /** 1 … 65535 */
  readonly number: number
  readonly protocol: Protocol
}

/**
 * How the addresses of a service are found (S-1): from our endpoints (`clientSideLB`), by DNS at the client, not at
 * all (`passthrough`: the client's own destination), or through another service (`alias`).
 */
export type Resolution = "clientSideLB" | "dnsLB" | "dnsRoundRobinLB" | "dynamicDNS" | "passthrough" | "alias"

/** Whether clients prefer endpoints near to them (S-12). */
export type TrafficDistribution = "Any" | "PreferSameZone" | "PreferSameNode"

/** The address of a service that has none: clients recognise it by host or by original destination. */
export const unspecifiedAddress = "0.0.0.0"

/** Facts that only Kubernetes Services have. */
export interface KubeServiceAttributes {
  readonly type: string
  readonly externalName: string
  /** internalTrafficPolicy Local (S-12) */
  readonly nodeLocal: boolean
  readonly publishNotReadyAddresses: boolean
  /** addresses reachable from outside, by cluster: LoadBalancer ingress and externalIPs (S-11) */
  readonly externalAddresses: Readonly<Record<string, ReadonlyArray<string>>>
  /** service port → node port, by cluster, for NodePort services with the node-selector annotation (S-11) */
  readonly externalPorts: Readonly<Record<string, Readonly<Record<number, number>>>>
  readonly targetPorts: ReadonlyArray<KubeTargetPort>
}

/** Where a Kubernetes service port leads on the workload: a number, or a name to be resolved per workload. */
export interface KubeTargetPort {
  readonly port: number
  readonly targetPort: number | string
}

/**
 * A service as clients see it (S-1). `hostname` with `namespace` is its key; a ServiceEntry with several
 * addresses gives several services of one key, which differ in `defaultAddress` (S-30).
 */
export interface Service {
  readonly hostname: string
  /** of the object that declares it */
  readonly namespace: string
  /** the Kubernetes name, or the hostname */
  readonly name: string
  /** name of the ServiceEntry object; empty for others */
  readonly objectName: string
  readonly provider: Provider
  readonly cluster: string
  readonly ports: ReadonlyArray<ServicePort>
  /** cluster → virtual IPs there; empty for ServiceEntries */
  readonly clusterVips: Readonly<Record<string, ReadonlyArray<string>>>
  readonly defaultAddress: string
  /** automatic addresses (D-8); empty when there is none */
  readonly autoAllocatedIpv4: string
  readonly autoAllocatedIpv6: string
  readonly resolution: Resolution
  readonly meshExternal: boolean
  /** subject alternative names accepted whatever the endpoints say */
  readonly serviceAccounts: ReadonlyArray<string>
  /** RFC 3339, whole seconds */
  readonly creationTime: string
  readonly resourceVersion: string
  readonly labels: Labels
  /** who sees it: `*`, `.` made absolute, `~`, namespaces; empty is the mesh default (S-46) */
  readonly exportTo: ReadonlyArray<string>
  readonly labelSelectors: Labels
  /** whether clients prefer endpoints of their zone or node (S-12, S-67) */
  readonly trafficDistribution: TrafficDistribution
  /** service port → target port, for Passthrough ServiceEntries (S-31) */
  readonly passthroughTargetPorts: Readonly<Record<number, number>>
  readonly kube?: KubeServiceAttributes
}

/** The key of a service's endpoints, pushes and lookups. */
export const serviceKey = (namespace: string, hostname: string): string => `${namespace}/${hostname}`

/** The key of a service, as `serviceKey` forms it. */
export const keyOfService = (service: Service): string => serviceKey(service.namespace, service.hostname)

/** Takes a service key apart again. */
export const parseServiceKey = (key: string): { readonly namespace: string; readonly hostname: string } => {
  const slash = key.indexOf("/")
  return { namespace: key.slice(0, slash), hostname: key.slice(slash + 1) }
}

/** Services whose sessions outlive a pod's shutdown keep sending to draining endpoints (S-14, D-10). */
export const isPersistentSession = (labels: Labels): boolean =>
  Boolean(labels[Label.persistentSessionCookie]) || Boolean(labels[Label.persistentSessionHeader])

/** Older definitions first; ties by namespace, then object or service name, then address (D-14). */
export const compareByAge = (a: Service, b: Service): number =>
  compareText(a.creationTime, b.creationTime) ||
  compareText(a.hostname, b.hostname) ||
  compareText(a.namespace, b.namespace) ||
  compareText(a.objectName || a.name, b.objectName || b.name) ||
  compareText(a.defaultAddress, b.defaultAddress)

/** Orders texts by their UTF-16 units, whatever the language. */
export const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** The port of that number. */
export const findPort = (service: Service, number: number): ServicePort | undefined =>
  service.ports.find((port) => port.number === number)

/** Whether the definition of two services is the same for every client. Resource versions do not count (D-15). */
export const equalServices = (a: Service, b: Service): boolean =>
  a === b ||
  (a.hostname === b.hostname &&
    equalLabels(a.labels, b.labels) &&
    JSON.stringify({ ...a, resourceVersion: "" }) === JSON.stringify({ ...b, resourceVersion: "" }))

/** Whether clients of a Kubernetes Service choose among its pods themselves. */
export const isHeadless = (service: Service): boolean =>
  service.provider === "Kubernetes" && service.resolution === "passthrough"

/** Whether the service selects workloads by labels. */
export const hasSelector = (service: Service): boolean => hasLabels(service.labelSelectors)
