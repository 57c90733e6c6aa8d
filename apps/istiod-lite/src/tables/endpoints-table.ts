import { withStaleLines } from "./stale-lines.ts"
import { shownHealth } from "./shown-health.ts"
import { counted, indent, table } from "./table.ts"
import type { EndpointAnswer, EndpointsAnswer } from "./answers.ts"

/** The endpoints of each service, by shard. */
export const endpointsTable = (services: typeof EndpointsAnswer.Type): string =>
  withStaleLines(
    endpointsText(services),
    Object.values(services)
      .flatMap((shards) => Object.values(shards).flat())
      .flatMap(({ stale }) => stale ?? [])
  )

const endpointsText = (services: typeof EndpointsAnswer.Type): string =>
  Object.entries(services)
    .map(([service, shards]) => {
      const rows = Object.entries(shards).flatMap(([shard, endpoints]) =>
        endpoints.map((endpoint) => endpointRow(shard, endpoint))
      )
      const head = ["ADDRESS", "PORT", "HEALTH", "LOCALITY", "WEIGHT", "WORKLOAD", "CLUSTER"]
      return `${service}: ${counted(rows.length, "endpoint")}\n${indent(table(head, rows))}`
    })
    .join("\n\n")

const endpointRow = (
  shard: string,
  {
    addresses,
    health = "HEALTHY",
    labels = {},
    lbWeight,
    locality,
    port,
    servicePortName,
    workloadName
  }: EndpointAnswer
): ReadonlyArray<string | number> => [
  hostPort(addresses?.[0] ?? "", port ?? 0),
  servicePortName ?? "",
  shownHealth({ health, labels }),
  (locality ?? "").replace(/\/+$/, ""),
  lbWeight ?? 1,
  workloadName ?? "",
  shard.slice(shard.indexOf("/") + 1)
]

/** A unix socket has no port. */
export const hostPort = (address: string, port: number): string =>
  port === 0 ? address : address.includes(":") ? `[${address}]:${port}` : `${address}:${port}`
