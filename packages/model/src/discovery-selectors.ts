import type { Collection, Graph, Reader } from "@istiod-lite/collections"
import type { Collections } from "./capabilities.ts"
import { type Labels, selects } from "./labels.ts"
import { type MeshConfigValue, meshKey } from "./mesh-config.ts"
import type { IstioObjects } from "./objects/kinds.ts"
import type { Namespace } from "./objects/kube.ts"
import type { ObjectMeta } from "./objects/meta.ts"

/** What is asked of one label. */
export interface LabelRequirement {
  readonly key: string
  readonly operator: "In" | "NotIn" | "Exists" | "DoesNotExist"
  /** of In and NotIn */
  readonly values: ReadonlyArray<string>
}

/** Kubernetes' label selector: everything that it asks for must be so. An empty one selects everything. */
export interface LabelSelector {
  readonly matchLabels: Labels
  readonly matchExpressions: ReadonlyArray<LabelRequirement>
}

const meets = ({ key, operator, values }: LabelRequirement, labels: Labels): boolean => {
  const value = labels[key]
  if (operator === "Exists") return value !== undefined
  if (operator === "DoesNotExist") return value === undefined
  const isNamed = value !== undefined && values.includes(value)
  return isNamed === (operator === "In")
}

/** Whether the selector selects what has these labels. */
export const matchesSelector = ({ matchExpressions, matchLabels }: LabelSelector, labels: Labels): boolean =>
  selects(matchLabels, labels) && matchExpressions.every((requirement) => meets(requirement, labels))

/**
 * Whether objects of a namespace count. Without selectors all do, also those of a namespace that is not known; with
 * selectors those of a known one that any selector selects. The system namespace is no exception. Nodes and namespaces
 * themselves always count.
 *
 * Source: istio pkg/kube/namespace, discoveryNamespacesFilter.
 *
 * @param namespaces of the objects' own cluster
 */
export const isDiscovered = (
  { discoverySelectors }: MeshConfigValue,
  name: string,
  read: Reader,
  namespaces: Collection<Namespace>
): boolean => {
  if (discoverySelectors.length === 0) return true
  const namespace = read.get(namespaces, `/${name}`)
  return (
    namespace !== undefined &&
    discoverySelectors.some((selector) => matchesSelector(selector, namespace.meta.labels))
  )
}

/**
 * Istio's objects without those of namespaces that do not count. A change of the selectors, or of a namespace's labels,
 * takes objects in and out in its own transaction.
 */
export const discoveredObjects = (
  graph: Graph,
  objects: Collections<IstioObjects>,
  { mesh, namespaces }: DiscoveryScope
): Collections<IstioObjects> => {
  const discovered = <O extends { readonly meta: ObjectMeta }>(
    kind: keyof IstioObjects,
    all: Collection<O>
  ): Collection<O> =>
    graph.map(
      `discovered/${kind}`,
      all,
      (_, object, read) => {
        const settings = read.get(mesh, meshKey)
        const counts =
          settings === undefined || isDiscovered(settings, object.meta.namespace, read, namespaces)
        return counts ? object : undefined
      },
      // The sources have compared: what comes from them is another object.
      { reads: [mesh, namespaces], equals: Object.is }
    )
  return {
    ServiceEntry: discovered("ServiceEntry", objects.ServiceEntry),
    WorkloadEntry: discovered("WorkloadEntry", objects.WorkloadEntry),
    WorkloadGroup: discovered("WorkloadGroup", objects.WorkloadGroup),
    DestinationRule: discovered("DestinationRule", objects.DestinationRule),
    VirtualService: discovered("VirtualService", objects.VirtualService),
    Sidecar: discovered("Sidecar", objects.Sidecar),
    PeerAuthentication: discovered("PeerAuthentication", objects.PeerAuthentication),
    Gateway: discovered("Gateway", objects.Gateway)
  }
}

/** What decides which namespaces count. */
export interface DiscoveryScope {
  readonly mesh: Collection<MeshConfigValue>
  readonly namespaces: Collection<Namespace>
}
