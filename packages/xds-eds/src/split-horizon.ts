import { augmentLabels, type Endpoint, type IpMode, type NetworkGateway } from "@istiod-lite/model"
import { type AssignedEndpoint, isGateway } from "./assigned-endpoint.ts"
import { gatewayMetadata } from "./endpoint-metadata.ts"
import type { ExclusionReason, Exclusion } from "./exclusion.ts"
import { firstAddress } from "./filter-endpoints.ts"
import { gatewaysTo, type NetworkGateways, reachableBy } from "./network-gateways.ts"
import { clampWeight } from "./weights.ts"
import { isMutualTls } from "./tls-mode.ts"

/** Where the proxy stands: the side of the horizon that it sees. */
export interface Standpoint {
  readonly network: string
  readonly ipMode: IpMode
}

/** An endpoint that the proxy reaches through the gateways of its network. */
export interface BehindGateways {
  readonly endpoint: Endpoint
  readonly gateways: ReadonlyArray<NetworkGateway>
}

export interface Horizon {
  /** what this side connects to: endpoints of its own network, then gateways by address */
  readonly endpoints: ReadonlyArray<AssignedEndpoint>
  readonly behind: ReadonlyArray<BehindGateways>
  readonly excluded: ReadonlyArray<Exclusion>
}

/**
 * Replaces a locality's endpoints of other networks by the gateways that lead there (S-64).
 *
 * All weights, also those of near endpoints, are multiplied by `gateways.scale`, so that a far endpoint's weight divides
 * evenly among its gateways. A network without gateways is taken to be directly reachable. A proxy that names no
 * network uses gateways wherever there are some.
 */
export const splitHorizon = (
  endpoints: ReadonlyArray<AssignedEndpoint>,
  gateways: NetworkGateways,
  from: Standpoint
): Horizon => {
  const near: Array<AssignedEndpoint> = []
  const behind: Array<BehindGateways> = []
  const excluded: Array<Exclusion> = []
  const shares = new Map<NetworkGateway, number>()
  for (const endpoint of endpoints) {
    const { source } = endpoint
    if (isGateway(source)) continue
    const weight = clampWeight(endpoint.weight * gateways.scale)
    const way = wayTo(source, isMutualTls(endpoint.tlsMode), gateways, from)
    if (way === "direct") near.push({ ...endpoint, weight })
    else if ("_tag" in way) excluded.push({ endpoint: source, reason: way })
    else {
      behind.push({ endpoint: source, gateways: way })
      const share = Math.floor(weight / way.length)
      for (const gateway of way) shares.set(gateway, (shares.get(gateway) ?? 0) + share)
    }
  }
  const far = gateways.all.flatMap((gateway) => {
    const share = shares.get(gateway)
    return share === undefined ? [] : [gatewayEndpoint(gateway, clampWeight(Math.max(share, 1)))]
  })
  return { endpoints: [...near, ...far], behind, excluded }
}

const wayTo = (
  endpoint: Endpoint,
  mutualTls: boolean,
  gateways: NetworkGateways,
  from: Standpoint
): "direct" | ReadonlyArray<NetworkGateway> | ExclusionReason => {
  const { network } = endpoint
  const leading = gatewaysTo(gateways, network, endpoint.cluster)
  const sameNetwork = network === "" || network === from.network
  if (leading.length === 0 || sameNetwork) {
    return firstAddress(endpoint) === "" ? { _tag: "NoAddress", network } : "direct"
  }
  const reachable = reachableBy(from.ipMode, leading)
  if (reachable.length === 0) return { _tag: "NoGatewayOfFamily", network, ipMode: from.ipMode }
  // A gateway finds the service by the SNI of the mutual TLS handshake: other traffic cannot cross.
  return mutualTls ? reachable : { _tag: "NotMutualTls", because: "otherNetwork", network }
}

const gatewayEndpoint = (gateway: NetworkGateway, weight: number): AssignedEndpoint => ({
  address: { kind: "socket", address: gateway.address, port: gateway.port },
  additionalAddresses: [],
  health: "UNKNOWN",
  weight,
  tlsMode: "istio",
  workload: gatewayMetadata(gateway.cluster),
  labels: augmentLabels({}, { cluster: gateway.cluster, locality: "", node: "", network: gateway.network }),
  source: gateway
})
