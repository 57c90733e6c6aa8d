import type { Collection, Entry, Graph, Reader } from "@istiod-lite/collections"
import {
  type Collections,
  type EndpointGroup,
  equalEndpointGroups,
  equalServices,
  equalWorkloads,
  hasLabels,
  type IstioObjects,
  labelKeysOfSelector,
  type Labels,
  type MeshConfigValue,
  meshKey,
  type Namespace,
  type Proxy,
  type Registry,
  selects,
  type Service,
  type ServiceEntry,
  serviceKey,
  shardKey,
  type WorkloadInstance,
  workloadKey,
  type Workloads
} from "@istiod-lite/model"
import { allocateIstioV1, allocateStable, type AutoAddresses } from "./auto-allocate.ts"
import { convertServiceEntry, takesHostnames } from "./convert-service-entry.ts"
import {
  convertInlineEndpoint,
  convertWorkloadEntry,
  hostAsWorkload,
  isPresent
} from "./convert-workload-entry.ts"
import { instancesOf } from "./instances.ts"
import { targetsAt } from "./service-targets.ts"
import { acceptsStatusAddresses, statusAddresses } from "./status-addresses.ts"

/** The registry of ServiceEntries, with what it shares with others. */
export interface ServiceEntryRegistry extends Registry {
  /** its WorkloadEntries, for Kubernetes Services and ServiceEntries to select */
  readonly workloads: Collection<WorkloadInstance>
}

/** What one ServiceEntry gives to one of its hosts. */
interface HostPart {
  readonly entry: ServiceEntry
  readonly group: EndpointGroup
}

/**
 * The registry of Istio's own objects: ServiceEntry and WorkloadEntry.
 *
 * - workloads: WorkloadEntry → workloads, shared with the Kubernetes registries
 * - declared: ServiceEntry → services without automatic addresses
 * - allocated: all declared → automatic addresses, in the mesh's address mode (D-8)
 * - services: declared ⋈ allocated
 * - parts: ServiceEntry ⋈ shared workloads → endpoints, one item for each entry and host
 * - endpoints: parts, less what DNS round robin may not repeat (S-35)
 */
export const makeServiceEntryRegistry = (
  graph: Graph,
  source: {
    readonly cluster: string
    readonly config: Pick<Collections<IstioObjects>, "ServiceEntry" | "WorkloadEntry">
    /** namespaces of the configuration cluster, for their annotations; undefined if it has none */
    readonly namespaceAnnotations: (read: Reader, namespace: string) => Labels
    readonly reads: ReadonlyArray<Collection<Namespace>>
    readonly synced: () => boolean
  },
  options: {
    readonly mesh: Collection<MeshConfigValue>
    readonly workloads: Workloads
    /** undefined: the entries' own statuses count */
    readonly statuses?: Collection<ServiceEntry["statusAddresses"]> | undefined
  }
): ServiceEntryRegistry => {
  const { cluster, config } = source
  const { mesh, statuses, workloads: exchange } = options
  const id = shardKey("External", cluster)
  const name = (what: string): string => `${id}/${what}`

  const workloads = graph.flatMap<IstioObjects["WorkloadEntry"], WorkloadInstance>(
    name("workloads"),
    config.WorkloadEntry,
    (_, entry, read) => {
      const settings = read.get(mesh, meshKey)
      if (settings === undefined || !isPresent(entry)) return []
      const workload = convertWorkloadEntry(entry, cluster, settings)
      return [[workloadKey(workload), workload]]
    },
    { reads: [mesh], equals: equalWorkloads }
  )

  const declared = graph.flatMap<ServiceEntry, Service>(
    name("declared services"),
    config.ServiceEntry,
    (key, entry, read) => {
      const namespaceAnnotations = source.namespaceAnnotations(read, entry.meta.namespace)
      return convertServiceEntry(entry, { cluster, namespaceAnnotations }).map((service) => [
        `${id}|${key}|${service.hostname}|${service.defaultAddress}`,
        service
      ])
    },
    { reads: source.reads, equals: equalServices }
  )

  const toAllocate = graph.index(name("services to allocate"), declared, () => ["all"])
  const optedOut = graph.index(name("entries without automatic addresses"), config.ServiceEntry, (entry) =>
    acceptsStatusAddresses(entry) ? [] : ["all"]
  )
  const allocated = graph.flatMap<MeshConfigValue, AutoAddresses>(
    name("automatic addresses"),
    mesh,
    (_, { addressMode }, read) => {
      if (addressMode === "status") return []
      const services = read.lookup(toAllocate, "all").map(([, service]) => service)
      if (addressMode === "istio-v1") return [...allocateIstioV1(services)]
      const without = new Set(read.lookup(optedOut, "all").map(([key]) => key))
      return [
        ...allocateStable(
          services.filter(({ namespace, objectName }) => !without.has(`${namespace}/${objectName}`))
        )
      ]
    },
    { reads: [toAllocate, optedOut], equals: (a, b) => a.ipv4 === b.ipv4 && a.ipv6 === b.ipv6 }
  )

  const autoAddressesOf = (read: Reader, service: Service): AutoAddresses | undefined => {
    const mode = read.get(mesh, meshKey)?.addressMode
    if (mode !== "status") return read.get(allocated, serviceKey(service.namespace, service.hostname))
    const key = `${service.namespace}/${service.objectName}`
    const entry = read.get(config.ServiceEntry, key)
    if (entry === undefined) return undefined
    const status = statuses === undefined ? entry.statusAddresses : (read.get(statuses, key) ?? [])
    return statusAddresses(entry, status, service.hostname)
  }
  const services = graph.map<Service, Service>(
    name("services"),
    declared,
    (_, service, read) => {
      if (service.defaultAddress !== "0.0.0.0") return service
      const auto = autoAddressesOf(read, service)
      return auto === undefined
        ? service
        : { ...service, autoAllocatedIpv4: auto.ipv4, autoAllocatedIpv6: auto.ipv6 }
    },
    {
      reads: [mesh, allocated, config.ServiceEntry, ...(statuses === undefined ? [] : [statuses])],
      equals: equalServices
    }
  )

  /** Workloads that an entry's selector finds, in S-32's order. An empty selector finds nothing (D-16). */
  const selectedWorkloads = (
    read: Reader,
    entry: ServiceEntry,
    selector: Labels
  ): ReadonlyArray<WorkloadInstance> => {
    const [labelKey] = labelKeysOfSelector(entry.meta.namespace, selector)
    if (labelKey === undefined || !hasLabels(selector)) return []
    return read
      .lookup(exchange.byLabel, labelKey)
      .map(([, workload]) => workload)
      .filter(
        (workload) =>
          workload.addressKind !== "unix" &&
          (workload.addressKind !== "hostname" || takesHostnames(entry.resolution)) &&
          selects(selector, workload.facts.labels)
      )
  }
  const workloadsOf = (
    read: Reader,
    entry: ServiceEntry,
    hostname: string,
    settings: MeshConfigValue
  ): ReadonlyArray<WorkloadInstance> => {
    if (entry.workloadSelector !== undefined) return selectedWorkloads(read, entry, entry.workloadSelector)
    if (entry.endpoints.length === 0)
      return takesHostnames(entry.resolution) ? [hostAsWorkload(hostname, entry.meta, cluster)] : []
    return entry.endpoints.map((spec, i) => convertInlineEndpoint(spec, i, entry.meta, cluster, settings))
  }

  const parts = graph.flatMap<ServiceEntry, HostPart>(
    name("endpoint parts"),
    config.ServiceEntry,
    (key, entry, read) => {
      const settings = read.get(mesh, meshKey)
      if (settings === undefined) return []
      const { creationTime, namespace } = entry.meta
      return [...new Set(entry.hosts)].flatMap((hostname): ReadonlyArray<Entry<HostPart>> => {
        const endpoints = instancesOf(workloadsOf(read, entry, hostname, settings), entry.ports)
        // Age comes first in the key, so that a lookup by host gives S-35's order.
        return [
          [
            `${creationTime}|${key}|${hostname}`,
            { entry, group: { hostname, namespace, shard: id, endpoints } }
          ]
        ]
      })
    },
    {
      reads: [mesh, exchange.byLabel],
      equals: (a, b) => a.entry === b.entry && equalEndpointGroups(a.group, b.group)
    }
  )
  const partsByService = graph.index(name("endpoint parts by service"), parts, ({ group }) => [
    serviceKey(group.namespace, group.hostname)
  ])
  const endpoints = graph.flatMap<HostPart, EndpointGroup>(
    name("endpoints"),
    parts,
    (key, { entry, group }, read) => {
      if (entry.resolution !== "DNS_ROUND_ROBIN") return [[`${id}|ServiceEntry/${key}`, group]]
      const before = new Set<number>()
      for (const [other, part] of read.lookup(partsByService, serviceKey(group.namespace, group.hostname))) {
        if (other >= key) break
        for (const endpoint of part.group.endpoints) before.add(endpoint.legacyClusterPortKey)
      }
      const kept = firstOfEachPort(group.endpoints, before)
      return [[`${id}|ServiceEntry/${key}`, { ...group, endpoints: kept }]]
    },
    { reads: [partsByService], equals: equalEndpointGroups }
  )

  const servicesByObject = graph.index(name("services by object and host"), services, (service) => [
    objectHost(service.namespace, service.objectName, service.hostname)
  ])
  const partsByIp = graph.index(name("endpoint parts by IP"), parts, ({ group }) => {
    const ips = new Set(group.endpoints.map(({ addresses }) => addresses[0] ?? ""))
    ips.delete("")
    return ips
  })
  const partsAt = (read: Reader, ip: string): ReadonlyArray<HostPart> =>
    read.lookup(partsByIp, ip).map(([, part]) => part)

  return {
    id,
    provider: "External",
    cluster,
    precedence: 2,
    services,
    endpoints,
    workloads,
    gateways: graph.merge(name("gateways")),
    targets: (read, proxy) => {
      const entryOf = new Map<EndpointGroup, ServiceEntry>()
      const groupsAt = (ip: string): ReadonlyArray<EndpointGroup> =>
        partsAt(read, ip).map(({ entry, group }) => {
          entryOf.set(group, entry)
          return group
        })
      return targetsAt(proxy, groupsAt, (group) => {
        const { name = "", namespace = "" } = entryOf.get(group)?.meta ?? {}
        return read.lookup(servicesByObject, objectHost(namespace, name, group.hostname))[0]?.[1]
      })
    },
    workloadLabels: (read, proxy) => labelsAt(proxy, (ip) => partsAt(read, ip).map(({ group }) => group)),
    reads: [services, servicesByObject, partsByIp],
    synced: source.synced
  }
}

const objectHost = (namespace: string, object: string, hostname: string): string =>
  `${namespace}/${object}|${hostname}`

/** Only one endpoint of a port may be there for DNS round robin: the first of the oldest entry (S-35). */
const firstOfEachPort = (
  endpoints: EndpointGroup["endpoints"],
  before: ReadonlySet<number>
): EndpointGroup["endpoints"] => {
  const seen = new Set(before)
  return endpoints.filter(({ legacyClusterPortKey }) => {
    if (seen.has(legacyClusterPortKey)) return false
    seen.add(legacyClusterPortKey)
    return true
  })
}

/** The labels of the first instance at any of the proxy's IPs, in its namespace (S-51). */
const labelsAt = (
  proxy: Proxy,
  groupsAt: (ip: string) => ReadonlyArray<EndpointGroup>
): Labels | undefined => {
  for (const ip of proxy.ips) {
    for (const group of groupsAt(ip)) {
      if (proxy.namespace !== "" && group.namespace !== proxy.namespace) continue
      const endpoint = group.endpoints.find(({ addresses }) => addresses[0] === ip)
      if (endpoint !== undefined) return endpoint.labels
    }
  }
  return undefined
}
