import { isIp, type Service, unspecifiedAddress } from "@istiod-lite/model"
import type { ExplainSources } from "./explain-sources.ts"
import { declaringObject } from "./object-names.ts"

/** One address that clients reach a service by. */
export interface AddressClaim {
  readonly address: string
  readonly service: Service
  readonly object: string
  /** the cluster whose clients use it; undefined: all */
  readonly cluster: string | undefined
  readonly as: "virtual IP" | "address" | "automatic address"
}

/** The addresses of all services: virtual IPs by cluster, those of ServiceEntries, automatic ones. */
export const addressClaims = ({
  discovery
}: Pick<ExplainSources, "discovery">): ReadonlyArray<AddressClaim> =>
  [...discovery.services.values()].flatMap(claimsOf)

const claimsOf = (service: Service): ReadonlyArray<AddressClaim> => {
  const object = declaringObject(service)
  const claim = (
    address: string,
    as: AddressClaim["as"],
    cluster: string | undefined
  ): ReadonlyArray<AddressClaim> =>
    isIp(address) && address !== unspecifiedAddress ? [{ address, service, object, cluster, as }] : []
  const vips = Object.entries(service.clusterVips)
  return [
    ...vips.flatMap(([cluster, addresses]) =>
      addresses.flatMap((address) => claim(address, "virtual IP", cluster))
    ),
    ...(vips.length === 0 ? claim(service.defaultAddress, "address", undefined) : []),
    ...claim(service.autoAllocatedIpv4, "automatic address", undefined),
    ...claim(service.autoAllocatedIpv6, "automatic address", undefined)
  ]
}
