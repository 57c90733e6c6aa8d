import type {
  AddressAnswer,
  Conflict,
  ConflictsAnswer,
  EndpointAnswer,
  Explanation,
  Finding,
  NearMiss,
  ServiceAnswer,
  Step
} from "./explain-answers.ts"
import { counted, indent, table } from "./table.ts"

/** Each endpoint: what became of it, why, what to change, and its way station by station. */
export const explainEndpointTable = ({ endpoints }: typeof EndpointAnswer.Type): string =>
  endpoints.map(explanationText).join("\n\n")

/** A host: who has it, what is wrong with it as a whole, and what becomes of its endpoints. */
export const explainServiceTable = ({ client, services }: typeof ServiceAnswer.Type): string =>
  services
    .map(({ claims, endpoints, findings, hostname, nearMisses = [] }) =>
      [
        client === undefined ? hostname : `${hostname}, for ${client}`,
        indent(
          table(
            ["DECLARED BY", "OUTCOME", "BECAUSE"],
            claims.map(({ because, object, outcome, rule }) => [object, outcome, `${because} (${rule})`])
          )
        ),
        ...findings.map((finding) => indent(findingText(finding))),
        endpointsText(endpoints),
        ...nearMissLines(nearMisses)
      ].join("\n")
    )
    .join("\n\n")

/** Everything that has an address, and what becomes of its endpoints. */
export const explainAddressTable = ({
  address,
  conflicts,
  endpoints,
  uses
}: typeof AddressAnswer.Type): string =>
  [
    `${address}\n${indent(
      table(
        ["AS", "OBJECT", "DETAIL"],
        uses.map(({ as, detail, object }) => [as, object, detail])
      )
    )}`,
    ...conflicts.map(conflictText),
    ...endpoints.map(explanationText)
  ].join("\n\n")

export const explainConflictsTable = ({ conflicts }: typeof ConflictsAnswer.Type): string =>
  conflicts.length === 0 ? "No conflicts." : conflicts.map(conflictText).join("\n\n")

const headline = ({ address, client, outcome, service }: Explanation): string => {
  const what = [address ?? "without address", ...(service === undefined ? [] : [`of ${service}`])].join(" ")
  return `${what}${client === undefined ? "" : `, for ${client}`}: ${outcome}`
}

const explanationText = (explanation: Explanation): string => {
  const { chain, droppedBy, madeFrom } = explanation
  return [
    headline(explanation),
    ...droppedBy.map((finding) => indent(findingText(finding))),
    indent(
      table(
        ["", "STATION", "FOUND"],
        chain.map((step) => [markOf(step), step.stage, foundText(step)])
      )
    ),
    ...(madeFrom === undefined ? [] : [indent(`made from ${madeFrom.join(", ")}`)])
  ].join("\n")
}

const markOf = ({ outcome }: Step): string => (outcome === "drop" ? "✗" : outcome === "note" ? "·" : "✓")

const foundText = ({ rule, text }: Step): string => (rule === undefined ? text : `${text} (${rule})`)

const findingText = ({ because, remedy, rule, stage }: Finding): string =>
  [
    `why     ${stage}: ${because}${rule === undefined ? "" : ` (${rule})`}`,
    ...(remedy === undefined ? [] : [`change  ${remedy}`])
  ].join("\n")

/** So many that are sent are listed; what is not sent is always listed. */
const listed = 20

const endpointsText = (endpoints: ReadonlyArray<Explanation>): string => {
  const sent = endpoints.filter(({ outcome }) => outcome === "sent")
  const others = endpoints.filter(({ outcome }) => outcome !== "sent")
  const more = sent.length - listed
  return [
    `  ${counted(endpoints.length, "endpoint")}, ${sent.length} sent`,
    ...sent.slice(0, listed).map(({ address = "" }) => `    ✓ ${address}`),
    ...(more > 0 ? [`    … and ${more} more`] : []),
    ...others.flatMap(({ address = "without address", droppedBy, outcome }) => [
      `    ✗ ${address}: ${outcome}`,
      ...droppedBy.map((finding) => indent(indent(indent(findingText(finding)))))
    ])
  ].join("\n")
}

/** So many show what is wrong; a Deployment may have hundreds of pods with one wrong label. */
const nearMissesListed = 10

const nearMissLines = (nearMisses: ReadonlyArray<NearMiss>): ReadonlyArray<string> => {
  if (nearMisses.length === 0) return []
  const more = nearMisses.length - nearMissesListed
  return [
    "  not part of it, but perhaps meant to be:",
    ...nearMisses
      .slice(0, nearMissesListed)
      .flatMap(({ addresses, droppedBy, object }) => [
        `    ✗ ${[object, ...(addresses.length > 0 ? [addressesText(addresses)] : [])].join(": ")}`,
        ...droppedBy.map((finding) => indent(indent(indent(findingText(finding)))))
      ]),
    ...(more > 0 ? [`    … and ${more} more`] : [])
  ]
}

const addressesText = (addresses: ReadonlyArray<string>): string =>
  [...addresses.slice(0, 3), ...(addresses.length > 3 ? ["…"] : [])].join(", ")

const conflictText = ({ because, claimants, kind, remedy, rule, subject, winner }: Conflict): string =>
  [
    `${kind} ${subject}: ${claimants.join(", ")}`,
    ...(winner === undefined ? [] : [`  wins    ${winner}`]),
    `  why     ${because}${rule === undefined ? "" : ` (${rule})`}`,
    ...(remedy === undefined ? [] : [`  change  ${remedy}`])
  ].join("\n")
