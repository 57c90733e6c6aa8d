import type { Index, Reader } from "@istiod-lite/collections"
import type { Endpoint, EndpointGroup, Labels, Proxy, Service, ServiceTarget } from "@istiod-lite/model"

/** The first addresses of a group's endpoints, each once: the index keys under which a proxy finds itself. */
export const firstAddressesOf = ({ endpoints }: EndpointGroup): ReadonlySet<string> =>
  new Set(endpoints.flatMap(({ addresses }) => addresses.slice(0, 1)))

/** The endpoints at a proxy's IPs, of services in its namespace: the proxy serves them itself. */
const endpointsAt = (
  read: Reader,
  byAddress: Index<EndpointGroup>,
  proxy: Proxy
): ReadonlyArray<readonly [EndpointGroup, Endpoint]> =>
  proxy.ips.flatMap((ip) =>
    read
      .lookup(byAddress, ip)
      .filter(([, group]) => proxy.namespace === "" || group.namespace === proxy.namespace)
      .flatMap(([, group]) =>
        group.endpoints
          .filter(({ addresses }) => addresses[0] === ip)
          .map((endpoint) => [group, endpoint] as const)
      )
  )

/** The service ports that a proxy serves (S-20): those of every endpoint at one of its IPs. */
export const targetsOf = (
  read: Reader,
  byAddress: Index<EndpointGroup>,
  serviceOf: (group: EndpointGroup) => Service | undefined,
  proxy: Proxy
): ReadonlyArray<ServiceTarget> =>
  endpointsAt(read, byAddress, proxy).flatMap(([group, endpoint]) => {
    const service = serviceOf(group)
    const port = service?.ports.find(({ name }) => name === endpoint.servicePortName)
    return service === undefined || port === undefined ? [] : [{ service, port, targetPort: endpoint.port }]
  })

/** The labels of the first endpoint at one of a proxy's IPs (S-51). */
export const labelsOf = (read: Reader, byAddress: Index<EndpointGroup>, proxy: Proxy): Labels | undefined =>
  endpointsAt(read, byAddress, proxy)[0]?.[1].labels
