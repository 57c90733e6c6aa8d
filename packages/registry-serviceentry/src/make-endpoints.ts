import type { Collection, Graph, Index } from "@istiod-lite/collections"
import {
  type EndpointGroup,
  equalEndpointGroups,
  type MeshConfigValue,
  meshKey,
  type ServiceEntry,
  serviceKey,
  type WorkloadInstance
} from "@istiod-lite/model"
import type { HostPart } from "./host-part.ts"
import { instancesOf } from "./instances.ts"
import { workloadsOfHost } from "./selected-workloads.ts"

/** What endpoints of ServiceEntries are made from. */
export interface EndpointsSource {
  readonly id: string
  readonly cluster: string
  readonly entries: Collection<ServiceEntry>
  readonly mesh: Collection<MeshConfigValue>
  /** the shared workloads, by label */
  readonly byLabel: Index<WorkloadInstance>
}

/**
 * The endpoints of all entries.
 *
 * - parts: ServiceEntry ⋈ shared workloads → endpoints, one item for each entry and host
 * - endpoints: parts, less what DNS round robin may not repeat (S-35)
 */
export const makeEndpoints = (
  graph: Graph,
  { byLabel, cluster, entries, id, mesh }: EndpointsSource
): { readonly parts: Collection<HostPart>; readonly endpoints: Collection<EndpointGroup> } => {
  const parts = graph.flatMap<ServiceEntry, HostPart>(
    `${id}/endpoint parts`,
    entries,
    (key, entry, read) => {
      const settings = read.get(mesh, meshKey)
      if (settings === undefined) return []
      const { creationTime, namespace } = entry.meta
      return [...new Set(entry.hosts)].map((hostname) => {
        const workloads = workloadsOfHost(read, byLabel, entry, hostname, { cluster, mesh: settings })
        const endpoints = instancesOf(workloads, entry.ports)
        // Age comes first in the key, so that a lookup by service gives S-35's order.
        return [
          `${creationTime}|${key}|${hostname}`,
          { entry, group: { hostname, namespace, shard: id, endpoints } }
        ] as const
      })
    },
    {
      reads: [mesh, byLabel],
      equals: (a, b) => a.entry === b.entry && equalEndpointGroups(a.group, b.group)
    }
  )
  const partsByService = graph.index(`${id}/endpoint parts by service`, parts, ({ group }) => [
    serviceKey(group.namespace, group.hostname)
  ])
  const endpoints = graph.flatMap<HostPart, EndpointGroup>(
    `${id}/endpoints`,
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
  return { parts, endpoints }
}

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
