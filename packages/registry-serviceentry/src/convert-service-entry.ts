import {
  isIp,
  isFullLengthCidr,
  type Labels,
  parseCidr,
  parseProtocol,
  type Resolution,
  type Service,
  type ServiceEntry,
  type ServiceEntryResolution,
  trafficDistributionOf,
  unspecifiedAddress
} from "@istiod-lite/model"

const resolutions: Readonly<Record<ServiceEntryResolution, Resolution>> = {
  NONE: "passthrough",
  STATIC: "clientSideLB",
  DNS: "dnsLB",
  DNS_ROUND_ROBIN: "dnsRoundRobinLB",
  DYNAMIC_DNS: "dynamicDNS"
}

/** IPs and CIDRs, each once, a CIDR of one address as that address; anything else is ignored (S-30). */
export const addressesOf = (entry: ServiceEntry): ReadonlyArray<string> => {
  if (entry.addresses.length === 0) return [unspecifiedAddress]
  const addresses = entry.addresses.flatMap((address) => {
    if (isIp(address)) return [address]
    const cidr = parseCidr(address)
    if (cidr === undefined) return []
    return [isFullLengthCidr(cidr) ? cidr.address : address]
  })
  return [...new Set(addresses)]
}

/** Ports by number where a Passthrough service leads elsewhere (S-31). */
const passthroughTargetPorts = (entry: ServiceEntry): Readonly<Record<number, number>> =>
  entry.resolution === "NONE"
    ? Object.fromEntries(
        entry.ports.flatMap(({ number, targetPort }) => (targetPort === 0 ? [] : [[number, targetPort]]))
      )
    : {}

/**
 * The services of one ServiceEntry: one for each host and distinct address (S-30, S-31). None if addresses were
 * given and none of them is one. Automatic addresses are not among this: they depend on other entries too.
 */
export const convertServiceEntry = (
  entry: ServiceEntry,
  context: { readonly cluster: string; readonly namespaceAnnotations: Labels }
): ReadonlyArray<Service> => {
  const { annotations, creationTime, labels, name, namespace, resourceVersion } = entry.meta
  const shared = {
    namespace,
    objectName: name,
    provider: "External",
    cluster: context.cluster,
    ports: entry.ports.map((port) => ({
      name: port.name,
      number: port.number,
      protocol: parseProtocol(port.protocol)
    })),
    clusterVips: {},
    autoAllocatedIpv4: "",
    autoAllocatedIpv6: "",
    resolution: resolutions[entry.resolution],
    meshExternal: entry.meshExternal,
    serviceAccounts: entry.subjectAltNames,
    creationTime,
    resourceVersion,
    labels,
    exportTo: entry.exportTo,
    labelSelectors: entry.workloadSelector ?? {},
    trafficDistribution: trafficDistributionOf("", annotations, context.namespaceAnnotations),
    passthroughTargetPorts: passthroughTargetPorts(entry)
  } satisfies Omit<Service, "hostname" | "name" | "defaultAddress">
  return [...new Set(entry.hosts)].flatMap((hostname) =>
    addressesOf(entry).map((defaultAddress) => ({ ...shared, hostname, name: hostname, defaultAddress }))
  )
}

/** Whether endpoints of these services may be hostnames: the proxy resolves them (S-32). */
export const takesHostnames = (resolution: ServiceEntryResolution): boolean =>
  resolution === "DNS" || resolution === "DNS_ROUND_ROBIN"
