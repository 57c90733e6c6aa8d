import { equalLabels, Label, type Labels } from "./labels.ts"

/** `UNKNOWN` is the health of every WorkloadEntry and inline endpoint, and counts as usable (S-2). */
export type Health = "HEALTHY" | "UNHEALTHY" | "DRAINING" | "TERMINATING" | "UNKNOWN"

/**
 * Whether the workload's proxy accepts Istio's mutual TLS: `istio`, `disabled`, or any other text of the tlsMode
 * label, which users match in transport sockets of their own.
 */
export type TlsMode = "istio" | "disabled" | (string & {})

/** Who may learn of an endpoint: everybody (`""`), or with the policy's name (`AlwaysDiscoverable`, `SameCluster`). */
export type Discoverability = "" | "AlwaysDiscoverable" | "DiscoverableFromSameCluster"

/** What an endpoint has from its workload, before it is multiplied by ports: shared by all endpoints of the workload. */
export interface WorkloadFacts {
  /** first is the identity; several only with dual stack on (S-16) */
  readonly addresses: ReadonlyArray<string>
  readonly labels: Labels
  /** SPIFFE URI; empty if unknown */
  readonly serviceAccount: string
  readonly network: string
  /** `region/zone/subzone` as the source gave it: the raw text is the grouping key (S-63) */
  readonly locality: string
  readonly cluster: string
  readonly tlsMode: TlsMode
  /** 0 means 1 (S-2) */
  readonly weight: number
  readonly workloadName: string
  readonly namespace: string
  /** for per-pod DNS names of headless services */
  readonly hostname: string
  readonly subdomain: string
  readonly node: string
}

/** One address and port that serves a service port (S-2, IstioEndpoint). */
export interface Endpoint extends WorkloadFacts {
  /** 0 for a unix socket */
  readonly port: number
  readonly servicePortName: string
  /** 0 = none; ServiceEntry endpoints name the service port's number (S-2) */
  readonly legacyClusterPortKey: number
  readonly health: Health
  readonly sendUnhealthy: boolean
  readonly discoverability: Discoverability
  /** what the endpoint was made of: decides who wins when two share an address (D-17) */
  readonly origin: EndpointOrigin
}

/** The object that an endpoint was made of, and its age. */
export interface EndpointOrigin {
  readonly kind: "Pod" | "WorkloadEntry" | "Inline" | "Address"
  /** object that declares it: pod, WorkloadEntry, ServiceEntry or EndpointSlice */
  readonly name: string
  readonly namespace: string
  /** RFC 3339 */
  readonly creationTime: string
}

/**
 * The endpoints that one object (an EndpointSlice, a ServiceEntry, the WorkloadEntries a Service selects) gives
 * to one service in one shard: the unit of recomputation and of encoding.
 */
export interface EndpointGroup {
  readonly hostname: string
  readonly namespace: string
  /** shard: `<provider>/<cluster>` (S-61) */
  readonly shard: string
  readonly endpoints: ReadonlyArray<Endpoint>
  /** an EndpointSlice's place in S-15's order; undefined for groups that never disagree with others */
  readonly slice?: SliceOrder
  /** addresses that give no endpoint yet, and why */
  readonly heldBack?: ReadonlyArray<HeldBack>
}

/** An address that an object names but that gives no endpoint: why, and which object would change that. */
export interface HeldBack {
  readonly address: string
  readonly reason: "PodMissing" | "PodEnded" | "PodReplaced" | "NamedPortMissing" | "AddressNotIp"
  /** `Pod shop/cart-1`, `WorkloadEntry legacy/erp-1` */
  readonly object: string
}

/** Who wins when an address stands in two slices: higher resource version, later creation, name (S-15). */
export interface SliceOrder {
  readonly resourceVersion: string
  readonly creationTime: string
  readonly name: string
}

/** The key of a shard: one registry in one cluster (S-61). */
export const shardKey = (provider: string, cluster: string): string => `${provider}/${cluster}`

/** The weight that counts: 0 means 1. */
export const effectiveWeight = (endpoint: Endpoint): number => endpoint.weight || 1

/** Usable for traffic as it stands (S-2). */
export const isUsable = (endpoint: Endpoint): boolean =>
  endpoint.health === "HEALTHY" || endpoint.health === "UNKNOWN"

/** The name that telemetry shows for a workload: canonical name label, app name, app, workload name (S-66). */
export const canonicalName = (labels: Labels, workloadName: string): string =>
  labels[Label.canonicalName] || labels[Label.appName] || labels[Label.app] || workloadName

/** The canonical revision, `latest` if none is named. */
export const canonicalRevision = (labels: Labels): string =>
  labels[Label.canonicalRevision] || labels[Label.appVersion] || labels[Label.version] || "latest"

const equalLists = (a: ReadonlyArray<string>, b: ReadonlyArray<string>): boolean =>
  a === b || (a.length === b.length && a.every((value, i) => value === b[i]))

/** Whether no client sees a difference between the two. */
export const equalEndpoints = (a: Endpoint, b: Endpoint): boolean =>
  a === b ||
  (a.port === b.port &&
    a.health === b.health &&
    a.servicePortName === b.servicePortName &&
    equalLists(a.addresses, b.addresses) &&
    equalLabels(a.labels, b.labels) &&
    a.serviceAccount === b.serviceAccount &&
    a.network === b.network &&
    a.locality === b.locality &&
    a.cluster === b.cluster &&
    a.tlsMode === b.tlsMode &&
    a.weight === b.weight &&
    a.workloadName === b.workloadName &&
    a.namespace === b.namespace &&
    a.hostname === b.hostname &&
    a.subdomain === b.subdomain &&
    a.node === b.node &&
    a.legacyClusterPortKey === b.legacyClusterPortKey &&
    a.sendUnhealthy === b.sendUnhealthy &&
    a.discoverability === b.discoverability &&
    a.origin.kind === b.origin.kind &&
    a.origin.name === b.origin.name &&
    a.origin.namespace === b.origin.namespace &&
    a.origin.creationTime === b.origin.creationTime)

const equalHeldBack = (a: EndpointGroup["heldBack"] = [], b: EndpointGroup["heldBack"] = []): boolean =>
  a.length === b.length &&
  a.every(
    (held, i) =>
      held.address === b[i]?.address && held.reason === b[i]?.reason && held.object === b[i]?.object
  )

/**
 * Whether two groups are the same. A slice's resource version counts, because it decides between slices (S-15):
 * a bump alone changes the group, but not the joined endpoints, where the change stops (D-15).
 */
export const equalEndpointGroups = (a: EndpointGroup, b: EndpointGroup): boolean =>
  a === b ||
  (a.hostname === b.hostname &&
    a.namespace === b.namespace &&
    a.shard === b.shard &&
    a.endpoints.length === b.endpoints.length &&
    a.endpoints.every((endpoint, i) => {
      const other = b.endpoints[i]
      return other !== undefined && equalEndpoints(endpoint, other)
    }) &&
    equalHeldBack(a.heldBack, b.heldBack) &&
    a.slice?.creationTime === b.slice?.creationTime &&
    a.slice?.resourceVersion === b.slice?.resourceVersion)
