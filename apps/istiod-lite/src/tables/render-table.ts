import type { Assignment, LbEndpoint, RenderAnswer } from "./answers.ts"
import { hostPort } from "./endpoints-table.ts"
import { withStaleLines } from "./stale-lines.ts"
import { indent, table } from "./table.ts"

/** What one proxy is sent, cluster by cluster, and what it is not sent and why. */
export const renderTable = (answer: RenderAnswer): string =>
  withStaleLines(renderText(answer), answer.stale ?? [])

const renderText = ({ eds, excluded, proxy, targets, visible }: RenderAnswer): string =>
  [
    `${proxy}\n  locality ${targets.proxyLocality ?? "unknown"}, serves ${servedBy(targets.targets)}`,
    "It may call:",
    indent(
      table(
        ["HOSTNAME", "AT"],
        visible.map(({ addresses, hostname }) => [hostname, addressesText(addresses)])
      )
    ),
    "It is sent:",
    ...Object.entries(eds).map(([name, assignment]) => clusterText(name, assignment, excluded[name] ?? []))
  ].join("\n\n")

/** A client that has no address to connect to finds the service by its host and port. */
const addressesText = (addresses: ReadonlyArray<string> = []): string =>
  addresses.filter((address) => address !== unspecified).join(", ") || "by host and port"

const unspecified = "0.0.0.0"

const servedBy = (targets: RenderAnswer["targets"]["targets"]): string =>
  targets.length === 0
    ? "nothing"
    : targets.map(({ hostname, port }) => `${hostname}:${port.number}`).join(", ")

const clusterText = (
  name: string,
  { endpoints = [] }: Assignment,
  excluded: ReadonlyArray<{ readonly because: string }>
): string => {
  const rows = endpoints.flatMap(({ lbEndpoints = [], locality, priority = 0 }) =>
    lbEndpoints.map((endpoint) => [
      addressText(endpoint),
      endpoint.healthStatus ?? "HEALTHY",
      priority,
      endpoint.loadBalancingWeight ?? 1,
      [locality?.region, locality?.zone, locality?.subZone].filter(Boolean).join("/")
    ])
  )
  const head = ["ADDRESS", "HEALTH", "PRIORITY", "WEIGHT", "LOCALITY"]
  const sent = rows.length === 0 ? "  no endpoints" : indent(table(head, rows))
  const notSent = excluded.map(({ because }) => `  not sent: ${because}`)
  return [name, sent, ...notSent].join("\n")
}

const addressText = ({ endpoint }: LbEndpoint): string => {
  const { envoyInternalAddress, pipe, socketAddress } = endpoint?.address ?? {}
  if (socketAddress !== undefined) return hostPort(socketAddress.address ?? "", socketAddress.portValue ?? 0)
  return pipe?.path ?? `tunnel to ${envoyInternalAddress?.endpointId ?? ""}`
}
