import type { Collection, Graph } from "@istiod-lite/collections"
import {
  type ClusterObjects,
  isDiscovered,
  kubeHostname,
  type MeshConfigValue,
  meshKey,
  type ObjectMeta
} from "@istiod-lite/model"

/** Which object is to have a ServiceExport. */
export type Unexported = Pick<ObjectMeta, "name" | "namespace" | "uid">

/** What decides which Services are exported by themselves. */
export interface AutoExportOptions {
  /** hosts that are for their cluster alone by the mesh configuration (S-52): their Services are not exported */
  readonly isClusterLocal: (mesh: MeshConfigValue, hostname: string) => boolean
}

/**
 * The Services of a cluster that are to have a ServiceExport and have none, by object key: all those of namespaces that
 * count whose host may leave its cluster.
 *
 * Source: istio pilot/pkg/serviceregistry/kube/controller/autoserviceexportcontroller.go.
 */
export const unexportedServices = (
  graph: Graph,
  { cluster, objects }: ClusterObjects,
  mesh: Collection<MeshConfigValue>,
  { isClusterLocal }: AutoExportOptions
): Collection<Unexported> =>
  graph.map(
    `unexported services of ${cluster}`,
    objects.Service,
    (key, { meta: { name, namespace, uid } }, read): Unexported | undefined => {
      const settings = read.get(mesh, meshKey)
      if (settings === undefined || read.get(objects.ServiceExport, key) !== undefined) return undefined
      if (!isDiscovered(settings, namespace, read, objects.Namespace)) return undefined
      return isClusterLocal(settings, kubeHostname(name, namespace, settings.domainSuffix))
        ? undefined
        : { name, namespace, uid }
    },
    {
      reads: [mesh, objects.Namespace, objects.ServiceExport],
      equals: (a, b) => a.uid === b.uid && a.name === b.name && a.namespace === b.namespace
    }
  )
