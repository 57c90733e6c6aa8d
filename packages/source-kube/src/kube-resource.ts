import { groupOfKind, isClusterWide, type Kind } from "@istiod-lite/model"

/** Objects of one kind as an API server knows them. */
export interface KubeResource {
  readonly kind: Kind
  /** empty for the core group */
  readonly group: string
  readonly version: string
  /** the name in paths and in roles */
  readonly plural: string
}

const plurals: { readonly [K in Kind]: string } = {
  Namespace: "namespaces",
  Node: "nodes",
  Pod: "pods",
  Service: "services",
  EndpointSlice: "endpointslices",
  ServiceExport: "serviceexports",
  ServiceImport: "serviceimports",
  ServiceEntry: "serviceentries",
  WorkloadEntry: "workloadentries",
  WorkloadGroup: "workloadgroups",
  DestinationRule: "destinationrules",
  VirtualService: "virtualservices",
  Sidecar: "sidecars",
  PeerAuthentication: "peerauthentications",
  Gateway: "gateways"
}

/**
 * The resource of a kind. All that discovery reads are served as v1, by Kubernetes since 1.21 and by Istio since 1.22;
 * only the kinds of Multi-Cluster Services are read in their first version, as Istio reads them.
 */
export const resourceOf = (kind: Kind): KubeResource => ({
  kind,
  group: groupOfKind[kind],
  version: isMultiCluster(kind) ? "v1alpha1" : "v1",
  plural: plurals[kind]
})

/** Kinds of Multi-Cluster Services, an API that few servers have: read only where the mesh goes by them. */
export const isMultiCluster = (kind: Kind): boolean => groupOfKind[kind] === "multicluster.x-k8s.io"

/** `v1`, or `networking.istio.io/v1`. */
export const apiVersionOf = ({ group, version }: KubeResource): string =>
  group === "" ? version : `${group}/${version}`

/** As messages and `kubectl` name it: `pods`, or `serviceentries.networking.istio.io`. */
export const resourceName = ({ group, plural }: Pick<KubeResource, "group" | "plural">): string =>
  group === "" ? plural : `${plural}.${group}`

/** The path under which all objects are listed and watched; of one namespace, if one is named. */
export const resourcePath = (resource: KubeResource, namespace?: string): string => {
  const root = resource.group === "" ? "/api" : "/apis"
  const inNamespace =
    namespace === undefined || isClusterWide(resource.kind) ? "" : `/namespaces/${namespace}`
  return `${root}/${apiVersionOf(resource)}${inNamespace}/${resource.plural}`
}
