import { compareText, type Endpoint, type EndpointGroup, type SliceOrder } from "@istiod-lite/model"

/** Resource versions are numbers of any length, written without sign. */
const compareVersions = (a: string, b: string): number => a.length - b.length || compareText(a, b)

/** Positive if `a` is the one to believe: the newer version, the later creation, the name that sorts first (S-15). */
export const compareSlices = (a: SliceOrder, b: SliceOrder): number =>
  compareVersions(a.resourceVersion, b.resourceVersion) ||
  compareText(a.creationTime, b.creationTime) ||
  compareText(b.name, a.name)

/** What S-15 counts once: first address and port name, within one shard. */
const identityOf = (shard: string, endpoint: Endpoint): string =>
  `${shard}|${endpoint.addresses[0] ?? ""}|${endpoint.servicePortName}`

/**
 * Settles which slice tells an address while it moves between slices (S-15). Groups that lose nothing keep their
 * identity, so that what was derived from them stays. Groups that are not slices are left alone.
 */
export const joinEndpoints = (groups: ReadonlyArray<EndpointGroup>): ReadonlyArray<EndpointGroup> => {
  if (groups.filter(({ slice }) => slice !== undefined).length < 2) return groups
  const holders = new Map<string, EndpointGroup>()
  let contested = false
  for (const group of groups) {
    if (group.slice === undefined) continue
    for (const endpoint of group.endpoints) {
      const identity = identityOf(group.shard, endpoint)
      const holder = holders.get(identity)
      if (holder?.slice === undefined) holders.set(identity, group)
      else if (holder !== group) {
        contested = true
        if (compareSlices(group.slice, holder.slice) > 0) holders.set(identity, group)
      }
    }
  }
  if (!contested) return groups
  return groups.map((group) => {
    if (group.slice === undefined) return group
    const kept = group.endpoints.filter(
      (endpoint) => holders.get(identityOf(group.shard, endpoint)) === group
    )
    return kept.length === group.endpoints.length ? group : { ...group, endpoints: kept }
  })
}
