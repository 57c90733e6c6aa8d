import { type IpMode, isIp, isIpv6, type NetworkGateway } from "@istiod-lite/model"

/** All gateways of the mesh, by what they lead to (S-64). */
export interface NetworkGateways {
  /** sorted by address and port */
  readonly all: ReadonlyArray<NetworkGateway>
  /** the least common multiple of the numbers of gateways per network and per cluster in it: what weights are multiplied by */
  readonly scale: number
  readonly byNetwork: ReadonlyMap<string, ReadonlyArray<NetworkGateway>>
  readonly byCluster: ReadonlyMap<string, ReadonlyArray<NetworkGateway>>
}

const clusterKey = (network: string, cluster: string): string => `${network}|${cluster}`

/** Gateways whose hostname is not resolved to an address cannot be sent, and do not count. */
export const indexGateways = (gateways: ReadonlyArray<NetworkGateway>): NetworkGateways => {
  const all = gateways.filter(({ address }) => isIp(address)).toSorted(byAddress)
  const byNetwork = Map.groupBy(all, ({ network }) => network)
  const byCluster = Map.groupBy(all, ({ cluster, network }) => clusterKey(network, cluster))
  const counts = [...byNetwork.values(), ...byCluster.values()].map(({ length }) => length)
  return { all, scale: counts.reduce(leastCommonMultiple, 1), byNetwork, byCluster }
}

const none: ReadonlyArray<NetworkGateway> = []

/** The gateways to an endpoint's network: those of its own cluster if there are any, else all of the network. */
export const gatewaysTo = (
  gateways: NetworkGateways,
  network: string,
  cluster: string
): ReadonlyArray<NetworkGateway> =>
  gateways.byCluster.get(clusterKey(network, cluster)) ?? gateways.byNetwork.get(network) ?? none

/** Those whose address a proxy of this mode can connect to. */
export const reachableBy = (
  ipMode: IpMode,
  gateways: ReadonlyArray<NetworkGateway>
): ReadonlyArray<NetworkGateway> =>
  ipMode === "Dual" ? gateways : gateways.filter(({ address }) => familyOf(address) === ipMode)

const ipv4Mapped = /^::ffff:\d+\.\d+\.\d+\.\d+$/i

const familyOf = (address: string): IpMode => (isIpv6(address) && !ipv4Mapped.test(address) ? "IPv6" : "IPv4")

const byAddress = (a: NetworkGateway, b: NetworkGateway): number =>
  a.address < b.address ? -1 : a.address > b.address ? 1 : a.port - b.port

const greatestCommonDivisor = (a: number, b: number): number =>
  b === 0 ? a : greatestCommonDivisor(b, a % b)

const leastCommonMultiple = (a: number, b: number): number => (a / greatestCommonDivisor(a, b)) * b
