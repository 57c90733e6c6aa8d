import type { Collection, Graph, Reader } from "@istiod-lite/collections"
import {
  type Collections,
  equalWorkloads,
  type IstioObjects,
  type Labels,
  type MeshConfigValue,
  meshKey,
  type Namespace,
  type Registry,
  type ServiceEntry,
  shardKey,
  type Staleness,
  type WorkloadInstance,
  workloadKey,
  type Workloads
} from "@istiod-lite/model"
import { convertWorkloadEntry, isPresent } from "./convert-workload-entry.ts"
import type { HostPart } from "./host-part.ts"
import { makeEndpoints } from "./make-endpoints.ts"
import { makeServices } from "./make-services.ts"
import { labelsAt, targetsAt } from "./service-targets.ts"

/** The registry of ServiceEntries, with what it shares with others. */
export interface ServiceEntryRegistry extends Registry {
  /** its WorkloadEntries, for Kubernetes Services and ServiceEntries to select */
  readonly workloads: Collection<WorkloadInstance>
}

/**
 * The registry of Istio's own objects: ServiceEntry and WorkloadEntry.
 *
 * - workloads: WorkloadEntry → workloads, shared with the Kubernetes registries
 * - services: ServiceEntry ⋈ automatic addresses (`makeServices`)
 * - endpoints: ServiceEntry ⋈ shared workloads (`makeEndpoints`)
 */
export const makeServiceEntryRegistry = (
  graph: Graph,
  source: {
    readonly cluster: string
    readonly config: Pick<Collections<IstioObjects>, "ServiceEntry" | "WorkloadEntry">
    /** annotations of a namespace of the configuration cluster */
    readonly namespaceAnnotations: (read: Reader, namespace: string) => Labels
    /** what `namespaceAnnotations` reads */
    readonly reads: ReadonlyArray<Collection<Namespace>>
    readonly synced: () => boolean
    readonly stale?: () => Staleness | undefined
  },
  options: {
    readonly mesh: Collection<MeshConfigValue>
    readonly workloads: Workloads
    /** undefined: the entries' own statuses count */
    readonly statuses?: Collection<ServiceEntry["statusAddresses"]> | undefined
  }
): ServiceEntryRegistry => {
  const { cluster, config, namespaceAnnotations, reads, stale, synced } = source
  const { mesh, statuses, workloads: exchange } = options
  const id = shardKey("External", cluster)
  const entries = config.ServiceEntry

  const workloads = graph.flatMap<IstioObjects["WorkloadEntry"], WorkloadInstance>(
    `${id}/workloads`,
    config.WorkloadEntry,
    (_, entry, read) => {
      const settings = read.get(mesh, meshKey)
      if (settings === undefined || !isPresent(entry)) return []
      const workload = convertWorkloadEntry(entry, cluster, settings)
      return [[workloadKey(workload), workload]]
    },
    { reads: [mesh], equals: equalWorkloads }
  )
  const services = makeServices(graph, { id, cluster, entries, mesh, statuses, namespaceAnnotations, reads })
  const { endpoints, parts } = makeEndpoints(graph, { id, cluster, entries, mesh, byLabel: exchange.byLabel })

  const servicesByPart = graph.index(`${id}/services by object and host`, services, (service) => [
    `${service.namespace}/${service.objectName}|${service.hostname}`
  ])
  const partsByIp = graph.index(`${id}/endpoint parts by IP`, parts, ({ group }) => {
    const ips = new Set(group.endpoints.map(({ addresses }) => addresses[0] ?? ""))
    ips.delete("")
    return ips
  })
  const partsAt =
    (read: Reader) =>
    (ip: string): ReadonlyArray<HostPart> =>
      read.lookup(partsByIp, ip).map(([, part]) => part)

  return {
    id,
    provider: "External",
    cluster,
    precedence: 2,
    services,
    endpoints,
    workloads,
    gateways: graph.merge(`${id}/gateways`),
    targets: (read, proxy) =>
      targetsAt(proxy, partsAt(read), ({ entry: { meta }, group }) => {
        const [service] = read.lookup(servicesByPart, `${meta.namespace}/${meta.name}|${group.hostname}`)
        return service?.[1]
      }),
    workloadLabels: (read, proxy) => labelsAt(proxy, partsAt(read)),
    reads: [services, servicesByPart, partsByIp],
    synced,
    ...(stale === undefined ? {} : { stale })
  }
}
