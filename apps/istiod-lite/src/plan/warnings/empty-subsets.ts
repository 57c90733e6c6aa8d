import { hasLabels, selects, type ServiceDiscovery } from "@istiod-lite/model"
import type { Findings, Searched } from "./findings.ts"

/** Subsets that none of the host's endpoints is in, though it has some. */
export const emptySubsets = ({ discovery, inputs }: Pick<Searched, "discovery" | "inputs">): Findings =>
  new Map(
    [...inputs.source.config.DestinationRule.values()].flatMap(({ host, meta, subsets }) => {
      const endpoints = endpointsOfHost(discovery, host, meta.namespace)
      if (endpoints.length === 0) return []
      return subsets
        .filter(({ labels }) => hasLabels(labels) && !endpoints.some((it) => selects(labels, it.labels)))
        .map(({ name }) => {
          const object = `DestinationRule ${meta.namespace}/${meta.name}`
          const text = `${object}: no endpoint of ${host} is in subset ${name}`
          return [`${object}: ${name}`, { kind: "EmptySubset", text }] as const
        })
    })
  )

/** By its full name, or by a short name in the rule's own namespace or the one it names. */
const endpointsOfHost = (
  { byHostname, endpoints, services }: ServiceDiscovery["Service"],
  host: string,
  namespace: string
) => {
  const [exact] = byHostname.lookup(host)
  const wanted = host.includes(".") ? host : `${host}.${namespace}`
  const service =
    exact?.[1] ?? [...services.values()].find(({ hostname }) => hostname.startsWith(`${wanted}.svc.`))
  if (service === undefined) return []
  const found = endpoints.get(`${service.namespace}/${service.hostname}`)
  return found?.groups.flatMap((group) => group.endpoints) ?? []
}
