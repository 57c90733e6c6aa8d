import type { Graph, Source } from "@istiod-lite/collections"
import type { IstioObjects, KubeObjects } from "./objects/kinds.ts"
import type { ObjectMeta } from "./objects/meta.ts"

/** One writable collection for each kind of a table of kinds. */
export type ObjectSources<Shapes> = { readonly [K in keyof Shapes]: Source<Shapes[K]> }

/** Input collections of one cluster's Kubernetes objects, keyed by `objectKey`. */
export const makeKubeSources = (graph: Graph, cluster: string): ObjectSources<KubeObjects> => {
  const named = (kind: keyof KubeObjects): string => `${cluster}/${kind}`
  return {
    Namespace: source(graph, named("Namespace")),
    Node: source(graph, named("Node")),
    Pod: source(graph, named("Pod")),
    Service: source(graph, named("Service")),
    // The version of a slice decides between slices (S-15), so a new one is news.
    EndpointSlice: graph.source(named("EndpointSlice")),
    ServiceExport: source(graph, named("ServiceExport")),
    ServiceImport: source(graph, named("ServiceImport"))
  }
}

/** Input collections of the configuration cluster's Istio objects, keyed by `objectKey`. */
export const makeIstioSources = (graph: Graph): ObjectSources<IstioObjects> => ({
  ServiceEntry: source(graph, "ServiceEntry"),
  WorkloadEntry: source(graph, "WorkloadEntry"),
  WorkloadGroup: source(graph, "WorkloadGroup"),
  DestinationRule: source(graph, "DestinationRule"),
  VirtualService: source(graph, "VirtualService"),
  Sidecar: source(graph, "Sidecar"),
  PeerAuthentication: source(graph, "PeerAuthentication"),
  Gateway: source(graph, "Gateway")
})

interface Versioned {
  readonly meta: ObjectMeta
}

const source = <O extends Versioned>(graph: Graph, name: string): Source<O> =>
  graph.source<O>(name, { equals: sameButVersion })

/** An update that changes nothing that discovery reads stops here (D-15). */
const sameButVersion = (a: Versioned, b: Versioned): boolean => withoutVersion(a) === withoutVersion(b)

const withoutVersion = (object: Versioned): string =>
  JSON.stringify({ ...object, meta: { ...object.meta, resourceVersion: "" } })
