import type { Change } from "@istiod-lite/collections"
import type { Endpoint, EndpointGroup, ServiceEndpoints } from "@istiod-lite/model"

/**
 * Whether a service lost an endpoint that clients may use: it was healthy or of unknown health (S-2), and now it is gone,
 * unready, draining or terminating. Such a change waits for nobody (D-2). One that merely moves to another slice was
 * not lost. Costs what the slices have that differ.
 */
export const losesUsable = ({ now, old }: Change<ServiceEndpoints>): boolean => {
  if (old === undefined || now === undefined) return false
  const before = usableWithout(old.groups, new Set(now.groups))
  if (before.length === 0) return false
  const after = usableWithout(now.groups, new Set(old.groups))
  const start = commonStart(before, after)
  const end = commonStart(before.slice(start).toReversed(), after.slice(start).toReversed())
  const changed = before.slice(start, before.length - end)
  if (changed.length === 0) return false
  const kept = new Set(after.slice(start, after.length - end).map(placeOf))
  return changed.some((endpoint) => !kept.has(placeOf(endpoint)))
}

/** The usable endpoints of the groups that are not among `same`. */
const usableWithout = (
  groups: ReadonlyArray<EndpointGroup>,
  same: ReadonlySet<EndpointGroup>
): ReadonlyArray<Endpoint> =>
  groups.flatMap((group) => (same.has(group) ? [] : group.endpoints.filter(isUsable)))

const isUsable = ({ health }: Endpoint): boolean => health === "HEALTHY" || health === "UNKNOWN"

/** How many endpoints from the start on are at the same places. */
const commonStart = (a: ReadonlyArray<Endpoint>, b: ReadonlyArray<Endpoint>): number => {
  let length = 0
  for (const endpoint of a) {
    const other = b[length]
    if (other === undefined || !isSamePlace(endpoint, other)) break
    length++
  }
  return length
}

const isSamePlace = (a: Endpoint, b: Endpoint): boolean =>
  a.addresses[0] === b.addresses[0] && a.port === b.port && a.servicePortName === b.servicePortName

const placeOf = ({ addresses, port, servicePortName }: Endpoint): string =>
  `${addresses[0] ?? ""}|${port}|${servicePortName}`
