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
  /** of these, the changes of endpoints that no client is sent */
  readonly unsent: ReadonlyArray<Change<ServiceEndpoints>>
}

/**
 * The proxies whose labels or targets may differ now (S-20, S-36, S-51): a pod's by its name, those beside a machine or
 * an instance of a ServiceEntry by their addresses, the old and the new ones (D-5).
 *
 * Slices give no labels, and targets only to pods that no service selects. Those are found by the service that is
 * pushed; where it is not, because no client sees the change, they are named too.
 */
export const movedProxies = ({ endpoints, proxies, unsent, workloads }: ProxyChanges): ReadonlySet<string> =>
  new Set([
    ...proxies.flatMap(namesOfKnown),
    ...workloads.flatMap(addressesOfMachine),
    ...endpoints.flatMap(addressesOf((group) => !isSlice(group))),
    ...unsent.flatMap(addressesOf(isSlice))
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

/** The addresses at which the instances of a service differ, as far as groups of that kind tell. */
const addressesOf =
  (counts: (group: EndpointGroup) => boolean) =>
  ({ now, old }: Change<ServiceEndpoints>): ReadonlyArray<string> => {
    const before = new Set(old?.groups)
    const after = new Set(now?.groups)
    const removed = instancesOf([...before].filter((group) => counts(group) && !after.has(group)))
    const added = instancesOf([...after].filter((group) => counts(group) && !before.has(group)))
    return [...new Set([...removed.keys(), ...added.keys()])].filter(
      (address) => isIp(address) && !sameInstances(removed.get(address), added.get(address))
    )
  }

const isSlice = ({ slice }: EndpointGroup): boolean => slice !== undefined

const instancesOf = (groups: ReadonlyArray<EndpointGroup>): ReadonlyMap<string, ReadonlyArray<Endpoint>> =>
  Map.groupBy(
    groups.flatMap(({ endpoints }) => endpoints),
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
