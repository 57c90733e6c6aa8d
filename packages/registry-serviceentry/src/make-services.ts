import type { Collection, Graph, Reader } from "@istiod-lite/collections"
import {
  equalServices,
  type Labels,
  type MeshConfigValue,
  meshKey,
  type Namespace,
  type Service,
  type ServiceEntry,
  serviceKey,
  unspecifiedAddress
} from "@istiod-lite/model"
import { allocateIstioV1, allocateStable, type AutoAddresses } from "./auto-allocate.ts"
import { convertServiceEntry } from "./convert-service-entry.ts"
import { acceptsStatusAddresses, statusAddresses } from "./status-addresses.ts"

/** What services of ServiceEntries are made from. */
export interface ServicesSource {
  readonly id: string
  readonly cluster: string
  readonly entries: Collection<ServiceEntry>
  readonly mesh: Collection<MeshConfigValue>
  /** undefined: the entries' own statuses count */
  readonly statuses: Collection<ServiceEntry["statusAddresses"]> | undefined
  readonly namespaceAnnotations: (read: Reader, namespace: string) => Labels
  /** what `namespaceAnnotations` reads */
  readonly reads: ReadonlyArray<Collection<Namespace>>
}

/**
 * The services of all entries, with automatic addresses in the mesh's address mode (D-8).
 *
 * - declared: ServiceEntry → services without automatic addresses
 * - allocated: all declared → automatic addresses by service, in the modes that compute them
 * - services: declared ⋈ allocated, or ⋈ the statuses
 */
export const makeServices = (graph: Graph, source: ServicesSource): Collection<Service> => {
  const { cluster, entries, id, mesh, statuses } = source
  const name = (what: string): string => `${id}/${what}`

  const declared = graph.flatMap<ServiceEntry, Service>(
    name("declared services"),
    entries,
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
  const optedOut = graph.index(name("entries without automatic addresses"), entries, (entry) =>
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
      return [...allocateStable(services.filter((service) => !without.has(entryKeyOf(service))))]
    },
    { reads: [toAllocate, optedOut], equals: (a, b) => a.ipv4 === b.ipv4 && a.ipv6 === b.ipv6 }
  )

  const autoAddressesOf = (read: Reader, service: Service): AutoAddresses | undefined => {
    if (read.get(mesh, meshKey)?.addressMode !== "status")
      return read.get(allocated, serviceKey(service.namespace, service.hostname))
    const key = entryKeyOf(service)
    const entry = read.get(entries, key)
    if (entry === undefined) return undefined
    const status = statuses === undefined ? entry.statusAddresses : (read.get(statuses, key) ?? [])
    return statusAddresses(entry, status, service.hostname)
  }
  return graph.map<Service, Service>(
    name("services"),
    declared,
    (_, service, read) => {
      if (service.defaultAddress !== unspecifiedAddress) return service
      const auto = autoAddressesOf(read, service)
      return auto === undefined
        ? service
        : { ...service, autoAllocatedIpv4: auto.ipv4, autoAllocatedIpv6: auto.ipv6 }
    },
    {
      reads: [mesh, allocated, entries, ...(statuses === undefined ? [] : [statuses])],
      equals: equalServices
    }
  )
}

/** The key of the entry that declares a service. */
const entryKeyOf = ({ namespace, objectName }: Service): string => `${namespace}/${objectName}`
