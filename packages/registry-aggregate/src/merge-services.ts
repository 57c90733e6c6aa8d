import type { Entry } from "@istiod-lite/collections"
import { type Service } from "@istiod-lite/model"

/**
 * One key for all Kubernetes services of a hostname, and one for each other service. Text order is the order of
 * lookups by hostname: Kubernetes first (S-42), then the oldest (S-35), ties by object name (D-14).
 */
export const mergeKey = (service: Service, key: string): string =>
  service.provider === "Kubernetes"
    ? `0|${service.hostname}|${service.namespace}`
    : `1|${service.creationTime}|${service.hostname}|${service.namespace}|${service.objectName}|${service.defaultAddress}|${key}`

/**
 * The services of one merge key as one (S-41): addresses per cluster and service accounts are united, everything
 * else comes from the first, which is the configuration cluster's if it has the service. Inputs are never mutated.
 */
export const mergeServices = (entries: ReadonlyArray<Entry<Service>>): Service | undefined => {
  const [first, ...others] = entries.map(([, service]) => service)
  if (first === undefined || others.length === 0) return first
  const clusterVips: Record<string, ReadonlyArray<string>> = { ...first.clusterVips }
  for (const other of others) {
    for (const [cluster, addresses] of Object.entries(other.clusterVips)) clusterVips[cluster] ??= addresses
  }
  return {
    ...first,
    clusterVips,
    serviceAccounts: [...new Set([first, ...others].flatMap(({ serviceAccounts }) => serviceAccounts))]
  }
}
