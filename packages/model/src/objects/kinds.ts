import type {
  DestinationRule,
  Gateway,
  PeerAuthentication,
  ServiceEntry,
  Sidecar,
  VirtualService,
  WorkloadEntry,
  WorkloadGroup
} from "./istio.ts"
import type {
  EndpointSlice,
  KubeService,
  Namespace,
  Node,
  Pod,
  ServiceExport,
  ServiceImport
} from "./kube.ts"

/** Kinds that every cluster's own registry reads. */
export interface KubeObjects {
  readonly Namespace: Namespace
  readonly Node: Node
  readonly Pod: Pod
  readonly Service: KubeService
  readonly EndpointSlice: EndpointSlice
  readonly ServiceExport: ServiceExport
  readonly ServiceImport: ServiceImport
}

/** Kinds that are read from the configuration cluster alone. */
export interface IstioObjects {
  readonly ServiceEntry: ServiceEntry
  readonly WorkloadEntry: WorkloadEntry
  readonly WorkloadGroup: WorkloadGroup
  readonly DestinationRule: DestinationRule
  readonly VirtualService: VirtualService
  readonly Sidecar: Sidecar
  readonly PeerAuthentication: PeerAuthentication
  readonly Gateway: Gateway
}

/** All kinds that discovery reads, with the shape of each. */
export type Objects = KubeObjects & IstioObjects
/** Name of a kind that discovery reads. */
export type Kind = keyof Objects

/** Kind → API group, as `apiVersion` names it before the slash; empty is the core group. */
export const groupOfKind: Readonly<Record<Kind, string>> = {
  Namespace: "",
  Node: "",
  Pod: "",
  Service: "",
  EndpointSlice: "discovery.k8s.io",
  ServiceExport: "multicluster.x-k8s.io",
  ServiceImport: "multicluster.x-k8s.io",
  ServiceEntry: "networking.istio.io",
  WorkloadEntry: "networking.istio.io",
  WorkloadGroup: "networking.istio.io",
  DestinationRule: "networking.istio.io",
  VirtualService: "networking.istio.io",
  Sidecar: "networking.istio.io",
  PeerAuthentication: "security.istio.io",
  Gateway: "networking.istio.io"
}

/** Whether discovery reads objects of a kind of that name. */
export const isKind = (text: string): text is Kind => Object.hasOwn(groupOfKind, text)

/** All kinds that discovery reads. */
export const kinds: ReadonlyArray<Kind> = Object.keys(groupOfKind).filter(isKind)

/** Namespaces and nodes belong to no namespace. */
export const isClusterWide = (kind: Kind): boolean => kind === "Namespace" || kind === "Node"

/** Whether objects of the kind are read from the configuration cluster alone. */
export const isIstioKind = (kind: Kind): kind is keyof IstioObjects => groupOfKind[kind].endsWith(".istio.io")
