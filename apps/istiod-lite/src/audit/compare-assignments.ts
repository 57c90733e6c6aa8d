import { effectiveWeight, type Endpoint, type NetworkGateway } from "@istiod-lite/model"
import { type AssignedEndpoint, type Assignment, describeExclusion, isGateway } from "@istiod-lite/xds-eds"

/** An endpoint that is not the same in what is served and in what the objects give. */
export interface EndpointDifference {
  /** `10.20.0.2:8080` */
  readonly address: string
  /** the object that it is made of: `Pod shop/cart-2` */
  readonly object: string
  /** what is wrong with the served one, in words */
  readonly what: string
}

/** How the endpoints that are served differ from those that the objects give. */
export const compareAssignments = (
  served: Assignment,
  rebuilt: Assignment
): ReadonlyArray<EndpointDifference> => {
  const now = byAddress(served)
  const right = byAddress(rebuilt)
  const lost = [...right].flatMap(([address, placed]) =>
    now.has(address) ? [] : [difference(address, placed, `is missing${exclusionOf(served, placed)}`)]
  )
  const stale = [...now].flatMap(([address, placed]) =>
    right.has(address) ? [] : [difference(address, placed, `should be gone${exclusionOf(rebuilt, placed)}`)]
  )
  const other = [...now].flatMap(([address, placed]) => {
    const should = right.get(address)
    if (should === undefined) return []
    const fields = changedFields(placed, should)
    return fields.length === 0 ? [] : [difference(address, should, `has ${fields.join(", ")}`)]
  })
  return [...lost, ...stale, ...other]
}

interface Placed {
  readonly endpoint: AssignedEndpoint
  readonly locality: string
  readonly priority: number
  readonly localityWeight: number | undefined
}

const byAddress = ({ localities }: Assignment): ReadonlyMap<string, Placed> =>
  new Map(
    localities.flatMap(({ endpoints, locality, priority, weight }) =>
      endpoints.map((endpoint) => [
        addressText(endpoint.address),
        {
          endpoint,
          locality: [locality.region, locality.zone, locality.subzone].filter(Boolean).join("/"),
          priority,
          localityWeight: weight
        }
      ])
    )
  )

const addressText = (address: AssignedEndpoint["address"]): string => {
  if (address.kind === "pipe") return address.path
  if (address.kind === "tunnel") return `tunnel to ${address.target}`
  return address.address.includes(":")
    ? `[${address.address}]:${address.port}`
    : `${address.address}:${address.port}`
}

const difference = (address: string, { endpoint }: Placed, what: string): EndpointDifference => ({
  address,
  object: objectOf(endpoint.source),
  what
})

const objectOf = (source: Endpoint | NetworkGateway): string =>
  isGateway(source)
    ? `gateway of network ${source.network}`
    : `${kindNames[source.origin.kind]} ${source.origin.namespace}/${source.origin.name}`

const kindNames: Readonly<Record<Endpoint["origin"]["kind"], string>> = {
  Pod: "Pod",
  WorkloadEntry: "WorkloadEntry",
  Inline: "ServiceEntry",
  Address: "EndpointSlice"
}

/** Why the other side leaves it out, if it knows it at all. */
const exclusionOf = ({ excluded }: Assignment, { endpoint: { source } }: Placed): string => {
  if (isGateway(source)) return ""
  const found = excluded.find(
    ({ endpoint }) =>
      endpoint.port === source.port &&
      endpoint.addresses[0] === source.addresses[0] &&
      endpoint.servicePortName === source.servicePortName
  )
  return found === undefined ? "" : `: ${describeExclusion(found).text}`
}

/** `health HEALTHY instead of UNHEALTHY` */
const changedFields = (now: Placed, should: Placed): ReadonlyArray<string> => {
  const right = fieldsOf(should)
  return Object.entries(fieldsOf(now)).flatMap(([field, value]) => {
    const expected = right[field] ?? ""
    return value === expected ? [] : [`${field} ${value} instead of ${expected}`]
  })
}

const fieldsOf = ({
  endpoint,
  locality,
  localityWeight,
  priority
}: Placed): Readonly<Record<string, string>> => ({
  health: endpoint.health,
  weight: String(isGateway(endpoint.source) ? endpoint.weight : effectiveWeight(endpoint.source)),
  locality,
  priority: String(priority),
  "locality weight": String(localityWeight),
  "TLS mode": endpoint.tlsMode,
  "further addresses": endpoint.additionalAddresses.join(" "),
  workload: JSON.stringify(endpoint.workload)
})
