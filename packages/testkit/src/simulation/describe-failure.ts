import type { Batch, SimulatedClient, SimulatedEvent } from "./history.ts"
import type { FailingHistory } from "./shrink-history.ts"

/** A failing history, event by event, and what is wrong in the end. */
export const describeFailure = ({ failure, history }: FailingHistory): ReadonlyArray<string> => [
  ...history.clients.map(clientLine),
  ...history.batches.flatMap((batch, i) => [
    `batch ${i}${manner(batch)}`,
    ...batch.events.map((event) => `  ${eventLine(event)}`)
  ]),
  `after batch ${failure.batch}: ${failure.difference.what}, ${failure.difference.key}`,
  `  is        ${JSON.stringify(failure.difference.served)}`,
  `  should be ${JSON.stringify(failure.difference.expected)}`
]

const clientLine = ({ delta, follows, names, node }: SimulatedClient, position: number): string =>
  `client ${position}: ${node.id} ${JSON.stringify(node.metadata)}${delta ? ", delta" : ""}` +
  `${follows ? ", follows its clusters" : ""}, asks for ${names.join(" ")}`

const manner = ({ eager, stalled, together }: Batch): string =>
  [
    together ? ", one transaction" : "",
    eager ? ", pushed after each" : "",
    stalled.length > 0 ? `, client ${stalled.join(" and ")} does not read` : ""
  ].join("")

const eventLine = (event: SimulatedEvent): string => {
  switch (event.action) {
    case "apply":
      return `${event.cluster}: apply ${JSON.stringify(event.manifest)}`
    case "delete":
      return `${event.cluster}: delete ${event.identity.kind} ${event.identity.namespace}/${event.identity.name}`
    case "replaceCluster":
      return `${event.cluster}: replaced by ${JSON.stringify(event.manifests)}`
    case "relist":
    case "removeCluster":
      return `${event.cluster}: ${event.action === "relist" ? "listed anew" : "removed"}`
    case "configure":
      return `mesh: ${JSON.stringify(event.mesh)}`
    default:
      return event satisfies never
  }
}
