import {
  type Endpoint,
  type EndpointGroup,
  type HeldBack,
  type ServiceEndpoints,
  serviceKey
} from "@istiod-lite/model"
import type { ExplainSources } from "./explain-sources.ts"

/** One endpoint that some registry tells, or an address that it holds back. */
export interface Candidate {
  /** of `group` among the endpoints of all registries */
  readonly key: string
  readonly group: EndpointGroup
  readonly told: { readonly endpoint: Endpoint } | { readonly held: HeldBack }
}

/** The endpoints and addresses held back of all registries that fulfil a condition, before slices are joined (S-15). */
export const findCandidates = (
  { registries }: Pick<ExplainSources, "registries">,
  wanted: {
    readonly group?: (group: EndpointGroup) => boolean
    readonly endpoint?: (endpoint: Endpoint) => boolean
    readonly held?: (held: HeldBack) => boolean
  }
): ReadonlyArray<Candidate> => {
  const { endpoint: isWanted = always, group: isWantedGroup = always, held: isWantedHeld = always } = wanted
  const found: Array<Candidate> = []
  for (const [key, group] of registries.endpoints.entries()) {
    if (!isWantedGroup(group)) continue
    for (const endpoint of group.endpoints)
      if (isWanted(endpoint)) found.push({ key, group, told: { endpoint } })
    for (const held of group.heldBack ?? [])
      if (isWantedHeld(held)) found.push({ key, group, told: { held } })
  }
  return found
}

const always = (): boolean => true

/**
 * Finds the endpoint that clients are told in place of a registry's; undefined if another slice tells it (S-15).
 *
 * Mostly it is the same one. After changes that no client sees, the index keeps what it had: then it is the one of
 * the same place and object. Two ServiceEntries may tell one workload twice, each of which is found once.
 */
export const makeJoined = ({
  discovery
}: Pick<ExplainSources, "discovery">): ((
  group: EndpointGroup,
  endpoint: Endpoint
) => Endpoint | undefined) => {
  const places = new Map<ServiceEndpoints, Places>()
  const found = new Map<Endpoint, Endpoint>()
  const taken = new Set<Endpoint>()
  return (group, endpoint) => {
    const all = discovery.endpoints.get(serviceKey(group.namespace, group.hostname))
    if (all === undefined) return undefined
    const known = places.get(all) ?? placesIn(all)
    places.set(all, known)
    const there = known.get(placeOf(group, endpoint)) ?? []
    const joined =
      found.get(endpoint) ??
      there.find((one) => one === endpoint) ??
      there.find((one) => !taken.has(one)) ??
      there[0]
    if (joined === undefined) return undefined
    found.set(endpoint, joined)
    taken.add(joined)
    return joined
  }
}

/** Endpoints by shard, slice, address, port and origin. */
type Places = ReadonlyMap<string, ReadonlyArray<Endpoint>>

const placesIn = ({ groups }: ServiceEndpoints): Places => {
  const all = groups.flatMap((group) =>
    group.endpoints.map((endpoint) => ({ place: placeOf(group, endpoint), endpoint }))
  )
  return new Map(
    [...Map.groupBy(all, ({ place }) => place)].map(([place, there]) => [
      place,
      there.map(({ endpoint }) => endpoint)
    ])
  )
}

const placeOf = (
  { shard, slice }: EndpointGroup,
  { addresses, origin, port, servicePortName }: Endpoint
): string =>
  [shard, slice?.name, addresses[0], port, servicePortName, origin.kind, origin.namespace, origin.name].join(
    "|"
  )
