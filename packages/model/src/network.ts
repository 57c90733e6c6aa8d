/** An address through which another network is reached (S-44). */
export interface NetworkGateway {
  readonly network: string
  /** empty when it comes from mesh networks settings (S-44) */
  readonly cluster: string
  /** IP address or hostname */
  readonly address: string
  readonly port: number
}

/** Orders gateways by network, cluster, address and port. */
export const compareGateways = (a: NetworkGateway, b: NetworkGateway): number => {
  const left = `${a.network}|${a.cluster}|${a.address}|${a.port}`
  const right = `${b.network}|${b.cluster}|${b.address}|${b.port}`
  return left < right ? -1 : left > right ? 1 : 0
}

/** One network of the mesh networks settings: what belongs to it, and how it is entered. */
export interface MeshNetwork {
  readonly endpoints: ReadonlyArray<{ readonly fromRegistry: string } | { readonly fromCidr: string }>
  readonly gateways: ReadonlyArray<
    { readonly port: number } & ({ readonly address: string } | { readonly registryServiceName: string })
  >
}

/** Network name → its settings. */
export type MeshNetworks = Readonly<Record<string, MeshNetwork>>
