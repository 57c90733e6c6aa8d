import type { Collection, Graph, Index } from "@istiod-lite/collections"
import {
  clusterSetHostname,
  compareText,
  type Discoverability,
  type EndpointGroup,
  hasOwnClusterHosts,
  isClusterSetHost,
  type MeshConfigValue,
  objectKey,
  type Service,
  type ServiceImport
} from "@istiod-lite/model"

/** The addresses of a Service's host of the cluster set in one of the clusters that import it. */
export interface ImportedService {
  readonly cluster: string
  readonly isConfigCluster: boolean
  /** `namespace/name`, of the ServiceImport and of the Service */
  readonly key: string
  /** never empty */
  readonly ips: readonly [string, ...ReadonlyArray<string>]
}

/** What a ServiceImport tells; undefined without an address: there is no such host of a headless Service. */
export const importedService = (
  { ips: [first, ...more], meta }: ServiceImport,
  from: Pick<ImportedService, "cluster" | "isConfigCluster">
): ImportedService | undefined =>
  first === undefined ? undefined : { ...from, key: objectKey(meta), ips: [first, ...more] }

export const equalImports = (a: ImportedService, b: ImportedService): boolean =>
  a.cluster === b.cluster &&
  a.isConfigCluster === b.isConfigCluster &&
  a.key === b.key &&
  a.ips.join() === b.ips.join()

/** Imports by the key of the Service. */
export const indexImports = (
  graph: Graph,
  name: string,
  imports: Collection<ImportedService>
): Index<ImportedService> => graph.index(name, imports, ({ key }) => [key])

/** The configuration cluster's import decides wherever one has to, then the first by the cluster's name. */
const byPrecedence = (a: ImportedService, b: ImportedService): number =>
  Number(b.isConfigCluster) - Number(a.isConfigCluster) || compareText(a.cluster, b.cluster)

/**
 * A Service under its host of the cluster set: the Service itself, at the addresses that the importing clusters give it.
 * Undefined if no cluster imports it.
 *
 * Source: istio pilot/pkg/serviceregistry/kube/controller/serviceimportcache.go. The Service may be in any cluster. Istio
 * makes the host in the clusters that import, of the Service in whichever cluster changed last; here each cluster
 * with the Service makes the same of its own, and merging decides as for all Services (S-41, D-5).
 */
export const clusterSetService = (
  service: Service,
  imports: ReadonlyArray<ImportedService>
): Service | undefined => {
  const sorted = imports.toSorted(byPrecedence)
  const [first] = sorted
  if (first === undefined) return undefined
  return {
    ...service,
    hostname: clusterSetHostname(service.name, service.namespace),
    clusterVips: Object.fromEntries(sorted.map(({ cluster, ips }) => [cluster, ips])),
    defaultAddress: first.ips[0]
  }
}

/** Whether the cluster that a service of the cluster set is of imports it itself. */
export const isImportedAtHome = ({ cluster, clusterVips }: Service): boolean => cluster in clusterVips

/**
 * Who may see the endpoints of a Service in its cluster. An export opens the host of the cluster set if the cluster
 * imports the Service itself, and the Service's own host unless that is to lead to the client's cluster alone.
 *
 * Source: istio pilot/pkg/serviceregistry/kube/controller/serviceexportcache.go.
 */
export const discoverabilityOf = (
  service: Service,
  mesh: MeshConfigValue,
  isExported: boolean
): Discoverability => {
  if (!mesh.exportedServicesOnly) return "AlwaysDiscoverable"
  const opens = isClusterSetHost(service.hostname) ? isImportedAtHome(service) : !hasOwnClusterHosts(mesh)
  return isExported && opens ? "AlwaysDiscoverable" : "DiscoverableFromSameCluster"
}

/** The same endpoints under the host of the cluster set. */
export const clusterSetGroup = (
  group: EndpointGroup,
  { hostname }: Service,
  discoverability: Discoverability
): EndpointGroup => ({
  ...group,
  hostname,
  endpoints: group.endpoints.map((endpoint) =>
    endpoint.discoverability === discoverability ? endpoint : { ...endpoint, discoverability }
  )
})
