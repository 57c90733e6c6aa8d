import { type AssignedEndpoint, type AssignedLocality, isGateway, type Step } from "./assigned-endpoint.ts"
import type { Exclusion } from "./exclusion.ts"
import type { NetworkGateways } from "./network-gateways.ts"
import { type BehindGateways, splitHorizon, type Standpoint } from "./split-horizon.ts"
import { sumOfWeights } from "./weights.ts"
import { isMutualTls } from "./tls-mode.ts"

/** A step that also tells what gateways stand for. */
export interface Crossing extends Step {
  readonly behind: ReadonlyArray<BehindGateways>
}

/** Puts gateways in the place of other networks' endpoints, locality by locality (S-64). Without gateways: as it was. */
export const crossNetworks = (
  localities: ReadonlyArray<AssignedLocality>,
  gateways: NetworkGateways,
  from: Standpoint
): Crossing => {
  if (gateways.all.length === 0) return { localities, behind: [], excluded: [] }
  const horizons = localities.map(({ endpoints }) => splitHorizon(endpoints, gateways, from))
  return {
    localities: localities.map((locality, i) => withEndpoints(locality, horizons[i]?.endpoints ?? [])),
    behind: horizons.flatMap(({ behind }) => behind),
    excluded: horizons.flatMap(({ excluded }) => excluded)
  }
}

/** Leaves only endpoints with mutual TLS: behind an SNI-DNAT gateway nothing else protects them (S-50). */
export const requireMutualTls = (localities: ReadonlyArray<AssignedLocality>): Step => {
  const excluded: Array<Exclusion> = []
  const speaks = ({ source, tlsMode }: AssignedEndpoint): boolean => {
    const speaksIt = isMutualTls(tlsMode)
    if (!speaksIt && !isGateway(source)) {
      const { network } = source
      excluded.push({ endpoint: source, reason: { _tag: "NotMutualTls", because: "sniDnat", network } })
    }
    return speaksIt
  }
  return {
    localities: localities.map((locality) => withEndpoints(locality, locality.endpoints.filter(speaks))),
    excluded
  }
}

/** A locality that loses everything stays, without weight. */
const withEndpoints = (
  locality: AssignedLocality,
  endpoints: ReadonlyArray<AssignedEndpoint>
): AssignedLocality => ({
  ...locality,
  endpoints,
  weight: endpoints.length === 0 ? undefined : sumOfWeights(endpoints)
})
