import {
  type IpMode,
  isIpv4,
  isIpv6,
  type MeshConfigValue,
  parseCidr,
  type Proxy,
  type Service
} from "@istiod-lite/model"

type Family = "IPv4" | "IPv6"

const familyOf = (address: string): Family | undefined =>
  parseCidr(address)?.family ?? (isIpv4(address) ? "IPv4" : isIpv6(address) ? "IPv6" : undefined)

/** Addresses of the family that a proxy speaks; one that speaks both gets those of the first one's family. */
const ofSpokenFamily = (addresses: ReadonlyArray<string>, ipMode: IpMode): ReadonlyArray<string> => {
  const spoken = ipMode === "Dual" ? (familyOf(addresses[0] ?? "") ?? "IPv4") : ipMode
  return addresses.filter((address) => familyOf(address) === spoken)
}

/** Automatic addresses answer only names that the proxy's own DNS resolves, so it must capture DNS. */
const usesAutomatic = (proxy: Proxy, { addressMode }: MeshConfigValue): boolean =>
  proxy.dnsCapture && (addressMode !== "istio-v1" || proxy.dnsAutoAllocate)

const automaticOf = (service: Service): ReadonlyArray<string> =>
  [service.autoAllocatedIpv4, service.autoAllocatedIpv6].filter((address) => address !== "")

/**
 * The addresses by which a proxy reaches a service (S-48): those of its own cluster, else automatic ones, else the
 * default address. Another cluster's default address is dropped if it is of a family that the proxy does not speak;
 * a ServiceEntry's is kept, because clients match it whatever its family.
 *
 * Source: istio pilot/pkg/model/service.go (getAllAddressesForProxy).
 */
export const addressesFor = (
  service: Service,
  proxy: Proxy,
  ipMode: IpMode,
  mesh: MeshConfigValue
): ReadonlyArray<string> => {
  const vips = proxy.cluster === "" ? [] : (service.clusterVips[proxy.cluster] ?? [])
  const own = vips.length === 0 && usesAutomatic(proxy, mesh) ? automaticOf(service) : vips
  const allFamilies = ipMode === "Dual" && (mesh.dualStack || mesh.tunnelMetadata)
  const spoken = allFamilies ? own : ofSpokenFamily(own, ipMode)
  if (spoken.length > 0) return spoken
  if (service.defaultAddress === "") return []
  const ofOtherCluster = Object.keys(service.clusterVips).length > 0
  return ofOtherCluster ? ofSpokenFamily([service.defaultAddress], ipMode) : [service.defaultAddress]
}
