import type { Change } from "@istiod-lite/collections"
import {
  compareText,
  type DestinationRule,
  type KnownProxy,
  type PushRequest,
  type Service,
  type ServiceEndpoints,
  serviceKey,
  type WorkloadInstance
} from "@istiod-lite/model"
import { effectOnClients } from "./endpoint-effect.ts"
import { losesUsable } from "./loses-usable.ts"
import { movedProxies } from "./moved-proxies.ts"
import { hostsOfRules } from "./rule-hosts.ts"
import { isUnseen, type PlanContext } from "./plan-context.ts"

/** What one transaction changed, as far as clients could tell. */
export interface DiscoveryChanges {
  /** merged services */
  readonly services: ReadonlyArray<Change<Service>>
  /** the services of the registries, before they were merged */
  readonly declared: ReadonlyArray<Change<Service>>
  readonly endpoints: ReadonlyArray<Change<ServiceEndpoints>>
  /** the shared workloads */
  readonly workloads: ReadonlyArray<Change<WorkloadInstance>>
  /** the proxies that registries know by name */
  readonly proxies: ReadonlyArray<Change<KnownProxy>>
  readonly destinationRules: ReadonlyArray<Change<DestinationRule>>
  /** how many changes of what concerns everybody: a kind of policy object, `networks`, `mesh` */
  readonly everywhere: ReadonlyMap<string, number>
}

/**
 * The smallest request after which every client has what a new one would get. `undefined` is nothing: no client sees
 * a difference (D-15).
 *
 * - a service that is new, gone or defined otherwise: by name (S-36, S-61)
 * - a definition that loses the merge (S-41): by name, if its own workloads serve otherwise by it (S-20)
 * - endpoints: by name; as a service where the accepted accounts change (S-61), or where a headless service needs
 *   listeners for them (S-19)
 * - a workload that its own proxy is told of: by the proxy's name or its addresses, old and new (S-36, D-5)
 * - a DestinationRule: the services of its host
 * - of the services with other endpoints, those that lost one which clients may use: as removals (D-2)
 * - everything where another policy, a network gateway or the mesh configuration changed
 *
 * @param since when the first of the changes was observed, in epoch milliseconds
 *
 * Source: S-19, S-36, S-61, S-83; istio pilot/pkg/xds (SvcUpdate, EDSUpdate, ProxyUpdate, ConfigUpdate).
 */
export const planPush = (
  changes: DiscoveryChanges,
  context: PlanContext,
  since: number
): PushRequest | undefined => {
  const services = [...changes.services, ...changes.declared.filter(servesOtherwise)].filter((change) =>
    isSeen(change, context)
  )
  const byEffect = Map.groupBy(changes.endpoints, (change) => effectOnClients(change, context))
  const { accounts = [], endpoints = [], listeners = [], unsent = [] } = Object.fromEntries(byEffect)
  const rules = hostsOfRules(changes.destinationRules, context)
  const proxies = movedProxies({ ...changes, unsent })

  const reasons = [
    ["service", new Set(services.flatMap(subjectsOf)).size],
    ["endpoint", endpoints.length],
    ["account", accounts.length],
    ["headless endpoint", listeners.length],
    ["proxy", proxies.size],
    ["DestinationRule", rules.wildcards + rules.services.length],
    ...changes.everywhere
  ] as const
  const given = reasons.filter(([, count]) => count > 0)
  if (given.length === 0) return undefined
  return {
    full: changes.everywhere.size > 0 || rules.wildcards > 0,
    services: new Set([...[...services, ...accounts, ...listeners].flatMap(subjectsOf), ...rules.services]),
    endpoints: new Set(endpoints.flatMap(subjectsOf)),
    removals: new Set([...endpoints, ...accounts, ...listeners].filter(losesUsable).flatMap(subjectsOf)),
    proxies,
    reasons: new Map(given),
    since
  }
}

/** `namespace/hostname` before and after. */
const subjectsOf = ({
  now,
  old
}: Change<{ readonly namespace: string; readonly hostname: string }>): ReadonlyArray<string> =>
  [old, now].flatMap((subject) =>
    subject === undefined ? [] : [serviceKey(subject.namespace, subject.hostname)]
  )

/** A service that nobody sees, before and after, pushes nothing, not even to the workloads behind it (S-19). */
const isSeen = ({ now, old }: Change<Service>, context: PlanContext): boolean =>
  [old, now].some((service) => service !== undefined && !isUnseen(service, context))

/** Whether the workloads behind a definition have other targets by it. */
const servesOtherwise = ({ now, old }: Change<Service>): boolean => servedBy(old) !== servedBy(now)

const servedBy = (service: Service | undefined): string =>
  service === undefined
    ? ""
    : JSON.stringify([
        service.ports,
        service.resolution,
        Object.entries(service.labelSelectors).toSorted(([a], [b]) => compareText(a, b)),
        service.kube?.targetPorts ?? []
      ])
