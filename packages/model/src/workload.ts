import { equalLabels } from "./labels.ts"
import type { EndpointOrigin, Health, WorkloadFacts, Discoverability } from "./endpoint.ts"
import type { Service, ServicePort } from "./service.ts"

/**
 * One workload before it is multiplied by services (S-3). Its key holds kind, cluster, namespace and name, so a
 * pod and a WorkloadEntry of one name are two workloads (D-6).
 */
export interface WorkloadInstance {
  readonly kind: "Pod" | "WorkloadEntry"
  readonly name: string
  readonly namespace: string
  readonly cluster: string
  readonly facts: WorkloadFacts
  readonly health: Health
  readonly sendUnhealthy: boolean
  readonly discoverability: Discoverability
  /** port name → number */
  readonly ports: Readonly<Record<string, number>>
  /** its address is a hostname or a unix path: usable by DNS ServiceEntries only, unix ones by none (S-3, S-32) */
  readonly addressKind: "ip" | "hostname" | "unix" | "none"
  readonly origin: EndpointOrigin
}

/** The key of a workload (D-6). */
export const workloadKey = (workload: {
  readonly kind: string
  readonly cluster: string
  readonly namespace: string
  readonly name: string
}): string => `${workload.kind}/${workload.namespace}/${workload.name}/${workload.cluster}`

/** Keys of the exchange's label index: one for each label, so that a selector is joined by any of its labels. */
export const labelKeysOf = (workload: WorkloadInstance): ReadonlyArray<string> =>
  Object.entries(workload.facts.labels).map(([name, value]) => labelKey(workload.namespace, name, value))

/** The key of one label in one namespace, by which selectors find workloads. */
export const labelKey = (namespace: string, name: string, value: string): string =>
  `${namespace}/${name}=${value}`

/** Whether the two are the same for every service that selects them. */
export const equalWorkloads = (a: WorkloadInstance, b: WorkloadInstance): boolean =>
  a === b || (equalLabels(a.facts.labels, b.facts.labels) && JSON.stringify(a) === JSON.stringify(b))

/** A service port as a proxy serves it: the inbound side (S-3). */
export interface ServiceTarget {
  readonly service: Service
  readonly port: ServicePort
  readonly targetPort: number
}

/** The keys of the label index under which everything that `selector` selects is found: any one of them will do. */
export const labelKeysOfSelector = (
  namespace: string,
  selector: Readonly<Record<string, string>>
): ReadonlyArray<string> =>
  Object.entries(selector)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => labelKey(namespace, name, value))
