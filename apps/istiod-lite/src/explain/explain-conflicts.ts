import { compareText } from "@istiod-lite/model"
import { type AddressClaim, addressClaims } from "./address-claims.ts"
import { type Candidate, findCandidates } from "./candidates.ts"
import type { Conflict } from "./conflict.ts"
import { explainCandidate } from "./endpoint-chain.ts"
import type { ExplainContext } from "./explain-context.ts"
import type { Stage } from "./explanation.ts"
import { hostClaims } from "./host-claims.ts"
import { addressText, originName, sliceName } from "./object-names.ts"

/** Everything that more than one object claims: who has it, and why. */
export const explainConflicts = (context: ExplainContext): ReadonlyArray<Conflict> => [
  ...hostConflicts(context),
  ...addressConflicts(context),
  ...endpointConflicts(context)
]

const hostConflicts = ({ discovery }: ExplainContext): ReadonlyArray<Conflict> =>
  [...discovery.byHostname.keys()].toSorted(compareText).flatMap((hostname): ReadonlyArray<Conflict> => {
    const services = discovery.byHostname.lookup(hostname).map(([, service]) => service)
    const claims = services.length < 2 ? [] : hostClaims(services, undefined)
    const winner = claims.find(({ outcome }) => outcome === "wins")
    if (claims.length < 2 || winner === undefined) return []
    const losers = claims.filter((claim) => claim !== winner)
    const merged = losers.every(({ outcome }) => outcome === "adds")
    return [
      {
        kind: "host",
        subject: hostname,
        claimants: [winner, ...losers].map(({ object }) => object),
        winner: winner.object,
        rule: winner.rule,
        because: merged
          ? `${winner.because}; the others, of the same namespace, add endpoints and ports`
          : `${winner.because}; clients of a namespace that declares the host itself get their own`,
        remedy: merged
          ? "nothing, if that is meant; else give the others another host"
          : "give one of them another host, or narrow exportTo"
      }
    ]
  })

/** Services that have one address, and clients that cannot tell them apart. */
export const addressConflicts = (context: ExplainContext): ReadonlyArray<Conflict> =>
  [...Map.groupBy(addressClaims(context), ({ address }) => address)]
    .toSorted(([a], [b]) => compareText(a, b))
    .flatMap(([address, claims]): ReadonlyArray<Conflict> => {
      const rivals = claims.filter((claim) => claims.some((other) => collide(claim, other)))
      if (rivals.length === 0) return []
      return [
        {
          kind: "virtual address",
          subject: address,
          claimants: [...new Set(rivals.map(({ object }) => object))].toSorted(),
          winner: undefined,
          rule: "S-48",
          because: "clients that go by address cannot tell them apart",
          remedy: "give one of them another address (spec.clusterIP, or spec.addresses of the ServiceEntry)"
        }
      ]
    })

/** Clusters may use one range of addresses: their clients use their own cluster's. */
const collide = (a: AddressClaim, b: AddressClaim): boolean =>
  a.service.hostname !== b.service.hostname &&
  (a.cluster === b.cluster || a.cluster === undefined || b.cluster === undefined)

/** Workloads of one address, and slices of one endpoint: the filters say who has lost. */
const endpointConflicts = (context: ExplainContext): ReadonlyArray<Conflict> => {
  const all = findCandidates(context, {})
  const shared = Map.groupBy(all, placeOf)
  return all
    .filter((candidate) => (shared.get(placeOf(candidate))?.length ?? 0) > 1)
    .flatMap((candidate) => lossOf(context, candidate))
    .toSorted((a, b) => compareText(a.subject, b.subject))
}

/** The port's name is part of it: slices are compared by name, sockets by number (S-15, D-17). */
const placeOf = ({ group, told }: Candidate): string =>
  "held" in told
    ? ""
    : [group.namespace, group.hostname, told.endpoint.addresses[0], told.endpoint.servicePortName].join("|")

const kindOf: Partial<Readonly<Record<Stage, Conflict["kind"]>>> = {
  client: "endpoint address",
  slices: "slices"
}

const lossOf = (context: ExplainContext, candidate: Candidate): ReadonlyArray<Conflict> => {
  const { group, told } = candidate
  if ("held" in told) return []
  const loss = explainCandidate(context, candidate, undefined).chain.find(
    ({ rule }) => rule === "D-17" || rule === "S-15"
  )
  const kind = loss && kindOf[loss.stage]
  if (loss === undefined || kind === undefined) return []
  return [
    {
      kind,
      subject: `${addressText(told.endpoint)} of ${group.hostname}`,
      claimants: [kind === "slices" ? (sliceName(group) ?? "") : originName(told.endpoint)],
      winner: undefined,
      rule: loss.rule ?? "",
      because: loss.text,
      remedy: loss.remedy ?? ""
    }
  ]
}
