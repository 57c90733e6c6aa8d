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

/** Same place and same object: what the index may hold under another identity, after changes that nobody sees. */
const placeOf = (shard: string, { addresses, origin, port, servicePortName }: Endpoint): string =>
  [shard, addresses[0], port, servicePortName, origin.kind, origin.namespace, origin.name].join("|")

/** Finds the endpoint that clients are told in place of a registry's; undefined if another slice tells it (S-15). */
export const makeJoined = ({
  discovery
}: Pick<ExplainSources, "discovery">): ((
  group: EndpointGroup,
  endpoint: Endpoint
) => Endpoint | undefined) => {
  const places = new Map<ServiceEndpoints, ReadonlyMap<string, Endpoint>>()
  return (group, endpoint) => {
    const all = discovery.endpoints.get(serviceKey(group.namespace, group.hostname))
    if (all === undefined) return undefined
    const known = places.get(all) ?? placesIn(all)
    places.set(all, known)
    return known.get(placeInSlice(group, endpoint))
  }
}

const placesIn = ({ groups }: ServiceEndpoints): ReadonlyMap<string, Endpoint> =>
  new Map(
    groups.flatMap((group) =>
      group.endpoints.map((endpoint) => [placeInSlice(group, endpoint), endpoint] as const)
    )
  )

const placeInSlice = ({ shard, slice }: EndpointGroup, endpoint: Endpoint): string =>
  `${placeOf(shard, endpoint)}|${slice?.name ?? ""}`
