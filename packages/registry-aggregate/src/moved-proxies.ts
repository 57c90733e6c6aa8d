import type { Change } from "@istiod-lite/collections"
import {
  type Endpoint,
  type EndpointGroup,
  equalKnownProxies,
  equalLabels,
  equalWorkloads,
  isIp,
  type KnownProxy,
  type ServiceEndpoints,
  type WorkloadInstance
} from "@istiod-lite/model"

/** The changes that tell a proxy something else about itself. */
export interface ProxyChanges {
  readonly proxies: ReadonlyArray<Change<KnownProxy>>
  readonly workloads: ReadonlyArray<Change<WorkloadInstance>>
  readonly endpoints: ReadonlyArray<Change<ServiceEndpoints>>
}

/**
 * The proxies whose labels or targets may differ now (S-20, S-36, S-51): a pod's by its name, those beside a machine or
 * an endpoint of a ServiceEntry by their addresses, the old and the new ones (D-5).
 */
export const movedProxies = ({ endpoints, proxies, workloads }: ProxyChanges): ReadonlySet<string> =>
  new Set([
    ...proxies.flatMap(namesOfKnown),
    ...workloads.flatMap(addressesOfMachine),
    ...endpoints.flatMap(addressesOfInstances)
  ])

const namesOfKnown = ({ now, old }: Change<KnownProxy>): ReadonlyArray<string> => {
  if (old !== undefined && now !== undefined && equalKnownProxies(old, now)) return []
  const proxy = now ?? old
  return proxy === undefined ? [] : [`${proxy.name}.${proxy.namespace}`]
}

/** Pods are known by name; their readiness is nobody's business but their services'. */
const addressesOfMachine = ({ now, old }: Change<WorkloadInstance>): ReadonlyArray<string> => {
  if (old !== undefined && now !== undefined && equalWorkloads(old, now)) return []
  return [old, now].flatMap((workload) =>
    workload?.kind === "WorkloadEntry" && workload.addressKind === "ip" ? workload.facts.addresses : []
  )
}

/**
 * The addresses at which the instances of a service differ. Slices tell no labels, and a pod behind one has its
 * targets by its own labels, or by the slice of a service that is pushed by name.
 */
const addressesOfInstances = ({ now, old }: Change<ServiceEndpoints>): ReadonlyArray<string> => {
  const kept = new Set(old?.groups)
  const added = instancesOf(now?.groups.filter((group) => !kept.has(group)))
  const present = new Set(now?.groups)
  const removed = instancesOf(old?.groups.filter((group) => !present.has(group)))
  return [...new Set([...added.keys(), ...removed.keys()])].filter(
    (address) => isIp(address) && !sameInstances(removed.get(address), added.get(address))
  )
}

const instancesOf = (
  groups: ReadonlyArray<EndpointGroup> = []
): ReadonlyMap<string, ReadonlyArray<Endpoint>> =>
  Map.groupBy(
    groups.flatMap(({ endpoints, slice }) => (slice === undefined ? endpoints : [])),
    ({ addresses }) => addresses[0] ?? ""
  )

const sameInstances = (a: ReadonlyArray<Endpoint> = [], b: ReadonlyArray<Endpoint> = []): boolean =>
  a.length === b.length &&
  a.every((endpoint, i) => {
    const other = b[i]
    return (
      other !== undefined &&
      endpoint.port === other.port &&
      endpoint.legacyClusterPortKey === other.legacyClusterPortKey &&
      endpoint.servicePortName === other.servicePortName &&
      equalLabels(endpoint.labels, other.labels)
    )
  })
