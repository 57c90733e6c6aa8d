import { type EndpointGroup, type Proxy, type Service, type ServiceTarget } from "@istiod-lite/model"

/** Service targets of a proxy: the instances at any of its IPs, of entries in its own namespace (S-20). */
export const targetsAt = (
  proxy: Proxy,
  groupsAt: (ip: string) => ReadonlyArray<EndpointGroup>,
  serviceOf: (group: EndpointGroup) => Service | undefined
): ReadonlyArray<ServiceTarget> =>
  proxy.ips.flatMap((ip) =>
    groupsAt(ip)
      .filter(({ namespace }) => proxy.namespace === "" || namespace === proxy.namespace)
      .flatMap((group) => {
        const service = serviceOf(group)
        if (service === undefined) return []
        return group.endpoints.flatMap((endpoint) => {
          if (endpoint.addresses[0] !== ip) return []
          const port = service.ports.find(({ number }) => number === endpoint.legacyClusterPortKey)
          return port === undefined ? [] : [{ service, port, targetPort: endpoint.port }]
        })
      })
  )
