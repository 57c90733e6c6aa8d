import type { Change } from "@istiod-lite/collections"
import {
  equalLabels,
  type PushRequest,
  type Service,
  type ServiceEndpoints,
  type WorkloadInstance
} from "@istiod-lite/model"

/** What one transaction changed, as far as clients could tell. */
export interface DiscoveryChanges {
  /** merged services */
  readonly services: ReadonlyArray<Change<Service>>
  readonly endpoints: ReadonlyArray<Change<ServiceEndpoints>>
  readonly workloads: ReadonlyArray<Change<WorkloadInstance>>
  /** how many changes of each of: a kind of policy object, `networks`, `mesh` */
  readonly everywhere: ReadonlyMap<string, number>
}

/**
 * What to push after a transaction: the services and endpoints that changed by name, the proxies whose own labels
 * changed, and everything where a policy, a network gateway or the mesh configuration did. `undefined` is nothing.
 *
 * @param since when the first of the changes was observed, in epoch milliseconds
 *
 * Source: S-83; istio pilot/pkg/xds (SvcUpdate, EDSUpdate, ProxyUpdate, ConfigUpdate).
 */
export const planPush = (changes: DiscoveryChanges, since: number): PushRequest | undefined => {
  const services = subjects(changes.services)
  const endpoints = subjects(changes.endpoints)
  const proxies = new Set(changes.workloads.filter(movesItsProxy).flatMap(namesOf))
  const reasons = new Map(
    [
      ["service", changes.services.length],
      ["endpoint", changes.endpoints.length],
      ["proxy", proxies.size] as const,
      ...changes.everywhere
    ].filter((reason): reason is [string, number] => Number(reason[1]) > 0)
  )
  if (reasons.size === 0) return undefined
  return { full: changes.everywhere.size > 0, services, endpoints, proxies, reasons, since }
}

/** `namespace/hostname` of all that changed; an item that changes its service names both. */
const subjects = (
  changes: ReadonlyArray<Change<{ readonly namespace: string; readonly hostname: string }>>
): ReadonlySet<string> =>
  new Set(
    changes.flatMap(({ now, old }) =>
      [old, now].flatMap((item) => (item === undefined ? [] : [`${item.namespace}/${item.hostname}`]))
    )
  )

/** Its readiness is nobody's business but its services'; its labels decide which policies its own proxy obeys (S-51). */
const movesItsProxy = ({ now, old }: Change<WorkloadInstance>): boolean =>
  old === undefined || now === undefined || !equalLabels(old.facts.labels, now.facts.labels)

const namesOf = ({ now, old }: Change<WorkloadInstance>): ReadonlyArray<string> => {
  const workload = now ?? old
  return workload === undefined ? [] : [`${workload.name}.${workload.namespace}`]
}
