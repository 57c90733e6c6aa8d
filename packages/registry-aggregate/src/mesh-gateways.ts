import { compareGateways, type MeshNetworks, type NetworkGateway } from "@istiod-lite/model"

/** Gateways that the mesh networks settings name by address; they belong to no cluster (S-44). */
const gatewaysOfSettings = (networks: MeshNetworks): ReadonlyArray<NetworkGateway> =>
  Object.entries(networks).flatMap(([network, { gateways }]) =>
    gateways.flatMap((gateway) =>
      "address" in gateway ? [{ network, cluster: "", address: gateway.address, port: gateway.port }] : []
    )
  )

/** All network gateways, each once, sorted (S-44). */
export const allGateways = (
  networks: MeshNetworks,
  ofServices: ReadonlyArray<NetworkGateway>
): ReadonlyArray<NetworkGateway> => {
  const sorted = [...gatewaysOfSettings(networks), ...ofServices].toSorted(compareGateways)
  return sorted.filter((gateway, i) => {
    const before = sorted[i - 1]
    return before === undefined || compareGateways(before, gateway) !== 0
  })
}

/**
 * Puts the addresses of gateways that are named by hostname in their place; one that has none (yet) is left out,
 * because clients accept only IPs (S-44).
 */
export const resolveGateways = (
  gateways: ReadonlyArray<NetworkGateway>,
  isAddress: (text: string) => boolean,
  addressesOf: (hostname: string) => ReadonlyArray<string>
): ReadonlyArray<NetworkGateway> =>
  gateways
    .flatMap((gateway) =>
      isAddress(gateway.address)
        ? [gateway]
        : addressesOf(gateway.address).map((address) => ({ ...gateway, address }))
    )
    .toSorted(compareGateways)

export const equalGateways = (a: ReadonlyArray<NetworkGateway>, b: ReadonlyArray<NetworkGateway>): boolean =>
  a.length === b.length &&
  a.every((gateway, i) => {
    const other = b[i]
    return other !== undefined && compareGateways(gateway, other) === 0
  })
