import {
  type Cidr,
  cidrContains,
  isFullLengthCidr,
  keyOfService,
  normaliseAddress,
  parseCidr,
  type Service,
  unspecifiedAddress
} from "@istiod-lite/model"
import type { Findings, Searched } from "./findings.ts"

/** One address at which clients reach a service. */
interface Claim {
  readonly service: string
  readonly address: string
  /** undefined: a single address */
  readonly range: Cidr | undefined
  /** undefined: the address counts in every cluster */
  readonly cluster: string | undefined
  readonly ports: ReadonlySet<number>
}

/** Addresses at which two services are reached on one port: a connection tells clients nothing of which is meant. */
export const overlappingAddresses = ({ discovery }: Pick<Searched, "discovery">): Findings => {
  const claims = [...discovery.services.values()].flatMap(claimsOf)
  const single = Map.groupBy(
    claims.filter(({ range }) => range === undefined),
    ({ address }) => address
  )
  const ranges = claims.filter(({ range }) => range !== undefined)
  const pairs = [
    ...[...single.values()].flatMap(pairsOf),
    ...ranges.flatMap((range) =>
      claims.filter((claim) => contains(range, claim)).map((it) => [range, it] as const)
    )
  ]
  return new Map(
    pairs
      .filter(([a, b]) => a.service !== b.service && meet(a, b))
      .map(([a, b]) => {
        const [first, second] = a.service < b.service ? [a, b] : [b, a]
        const places =
          first.address === second.address ? first.address : `${first.address} and ${second.address}`
        const text = `${first.service} and ${second.service} are reached at the same address and port: ${places}`
        return [
          `${first.service} ${second.service} ${places}`,
          { kind: "OverlappingAddresses", text }
        ] as const
      })
  )
}

const claimsOf = (service: Service): ReadonlyArray<Claim> => {
  const { autoAllocatedIpv4, autoAllocatedIpv6, clusterVips, defaultAddress } = service
  const places = [
    ...Object.entries(clusterVips).flatMap(([cluster, vips]) => vips.map((vip) => [vip, cluster] as const)),
    ...(Object.keys(clusterVips).length === 0 ? [[defaultAddress, undefined] as const] : []),
    [autoAllocatedIpv4, undefined] as const,
    [autoAllocatedIpv6, undefined] as const
  ]
  const ports = new Set(service.ports.map(({ number }) => number))
  return places
    .filter(([address]) => address !== "" && address !== unspecifiedAddress && address !== "::")
    .map(([text, cluster]) => {
      const cidr = parseCidr(text)
      const range = cidr === undefined || isFullLengthCidr(cidr) ? undefined : cidr
      const address = range === undefined ? normaliseAddress(cidr?.address ?? text) : text
      return { service: keyOfService(service), address, range, cluster, ports }
    })
}

const pairsOf = (claims: ReadonlyArray<Claim>): ReadonlyArray<readonly [Claim, Claim]> =>
  claims.flatMap((a, i) => claims.slice(i + 1).map((b) => [a, b] as const))

const contains = ({ range }: Claim, claim: Claim): boolean =>
  range !== undefined && cidrContains(range, claim.range?.address ?? claim.address)

const meet = (a: Claim, b: Claim): boolean =>
  (a.cluster === undefined || b.cluster === undefined || a.cluster === b.cluster) &&
  [...a.ports].some((port) => b.ports.has(port))
