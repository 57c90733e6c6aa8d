import type { EndpointGroup, Labels, Proxy, Service, ServiceTarget } from "@istiod-lite/model"
import type { HostPart } from "./host-part.ts"

/** Whether entries of a namespace concern a proxy: its own namespace's do, or all if it names none. */
const concerns = (proxy: Proxy, { namespace }: EndpointGroup): boolean =>
  proxy.namespace === "" || namespace === proxy.namespace

/** Service targets of a proxy: the instances at any of its IPs, of entries in its own namespace (S-20). */
export const targetsAt = (
  proxy: Proxy,
  partsAt: (ip: string) => ReadonlyArray<HostPart>,
  serviceOf: (part: HostPart) => Service | undefined
): ReadonlyArray<ServiceTarget> =>
  proxy.ips.flatMap((ip) =>
    partsAt(ip)
      .filter(({ group }) => concerns(proxy, group))
      .flatMap((part) => {
        const service = serviceOf(part)
        if (service === undefined) return []
        return part.group.endpoints.flatMap((endpoint) => {
          if (endpoint.addresses[0] !== ip) return []
          const port = service.ports.find(({ number }) => number === endpoint.legacyClusterPortKey)
          return port === undefined ? [] : [{ service, port, targetPort: endpoint.port }]
        })
      })
  )

/** The labels of the first instance at any of the proxy's IPs, in its namespace (S-51). */
export const labelsAt = (
  proxy: Proxy,
  partsAt: (ip: string) => ReadonlyArray<HostPart>
): Labels | undefined => {
  for (const ip of proxy.ips) {
    for (const { group } of partsAt(ip)) {
      if (!concerns(proxy, group)) continue
      const endpoint = group.endpoints.find(({ addresses }) => addresses[0] === ip)
      if (endpoint !== undefined) return endpoint.labels
    }
  }
  return undefined
}
