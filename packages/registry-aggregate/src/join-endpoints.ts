import {
  compareText,
  type Endpoint,
  type EndpointGroup,
  hasDuplicatePairs,
  hasDuplicatePairsSince,
  type SliceOrder,
  writeHashPair
} from "@istiod-lite/model"

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

const noHash = new Uint32Array(2)

const hashesOf = new WeakMap<EndpointGroup, Uint32Array>()

/** Hashes of the identities: most often they tell that no address moves, and a group's are the same while it is. */
const identityHashes = (group: EndpointGroup): Uint32Array => {
  const known = hashesOf.get(group)
  if (known !== undefined) return known
  const { endpoints, shard } = group
  const [place, port] = [noHash.slice(), noHash.slice()]
  writeHashPair(place, 0, shard, 0)
  const hashes = new Uint32Array(2 * endpoints.length)
  for (const [i, { addresses, servicePortName }] of endpoints.entries()) {
    writeHashPair(port, 0, servicePortName, place[0] ?? 0)
    writeHashPair(hashes, 2 * i, addresses[0] ?? "", port[0] ?? 0)
  }
  hashesOf.set(group, hashes)
  return hashes
}

type Groups = ReadonlyArray<EndpointGroup>

/** The identities of the lists of which it is known that none is in them twice. */
const uniqueIn = new WeakMap<Groups, ReadonlyArray<Uint32Array>>()

/** Whether some identity may be told twice. Where it was not by `previous`, only what is new is looked at. */
const mayRepeat = (groups: Groups, slices: Groups, previous: Groups | undefined): boolean => {
  const hashes = slices.map(identityHashes)
  const unique = previous && uniqueIn.get(previous)
  const repeats = unique === undefined ? hasDuplicatePairs(hashes) : hasDuplicatePairsSince(unique, hashes)
  if (!repeats) uniqueIn.set(groups, hashes)
  return repeats
}

/**
 * Settles which slice tells an address while it moves between slices (S-15). Groups that lose nothing keep their
 * identity, so that what was derived from them stays. Groups that are not slices are left alone.
 *
 * @param previous what this gave for the groups as they were before: of thousands of endpoints, few are new since
 */
export const joinEndpoints = (groups: Groups, previous?: Groups): Groups => {
  const slices = groups.filter(({ slice }) => slice !== undefined)
  if (slices.length < 2 || !mayRepeat(groups, slices, previous)) return groups
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
