import type { Change } from "@istiod-lite/collections"
import type { Endpoint, ServiceEndpoints } from "@istiod-lite/model"
import { counted } from "../tables/table.ts"
import { hostPort } from "../tables/endpoints-table.ts"
import { shownHealth } from "../tables/shown-health.ts"

/** How many workloads are named before they are only counted. */
const mostNamed = 3

/**
 * What happened to a service's endpoints, in words: `shop/cart: 3 → 2 endpoints (- cart-1)`, undefined if nothing that
 * a person would call a change. Counted are the endpoints that take new requests.
 */
export const endpointChangeText = ({ now, old }: Change<ServiceEndpoints>): string | undefined => {
  // Goes with its service, which is told.
  if (now === undefined) return undefined
  const before = byIdentity(old)
  const after = byIdentity(now)
  const happened = [
    ...[...after].flatMap(([id, endpoint]) => arrival(before.get(id), endpoint)),
    ...[...before].flatMap(([id, endpoint]) => (after.has(id) ? [] : [`- ${nameOf(endpoint)}`]))
  ]
  if (happened.length === 0) return undefined
  const names = [...new Set(happened)]
  const told = names.slice(0, mostNamed).join(", ")
  const more = names.length > mostNamed ? `, and ${names.length - mostNamed} more` : ""
  const { hostname, namespace } = now
  const [from, to] = [usable(before), usable(after)]
  const count = from === to ? counted(to, "endpoint") : `${from} → ${counted(to, "endpoint")}`
  return `${shortName(namespace, hostname)}: ${count} (${told}${more})`
}

const byIdentity = (endpoints: ServiceEndpoints | undefined): ReadonlyMap<string, Endpoint> =>
  new Map(
    (endpoints?.groups ?? []).flatMap((group) =>
      group.endpoints.map((endpoint) => [
        `${group.shard}|${endpoint.addresses[0] ?? ""}|${endpoint.port}|${endpoint.servicePortName}`,
        endpoint
      ])
    )
  )

const arrival = (before: Endpoint | undefined, now: Endpoint): ReadonlyArray<string> => {
  const health = shownHealth(now)
  if (before === undefined) return [`+ ${nameOf(now)}${isTaken(now) ? "" : ` ${words[health]}`}`]
  if (shownHealth(before) !== health) return [`${nameOf(now)} ${words[health]}`]
  return before.weight === now.weight ? [] : [`${nameOf(now)} weight ${now.weight || 1}`]
}

const words: Readonly<Record<Endpoint["health"], string>> = {
  HEALTHY: "ready",
  UNKNOWN: "ready",
  UNHEALTHY: "not ready",
  DRAINING: "draining",
  TERMINATING: "terminating"
}

const isTaken = (endpoint: Endpoint): boolean => {
  const health = shownHealth(endpoint)
  return health === "HEALTHY" || health === "UNKNOWN"
}

/** Workloads that take new requests, each once however many ports it has. */
const usable = (endpoints: ReadonlyMap<string, Endpoint>): number =>
  new Set([...endpoints.values()].filter(isTaken).map(nameOf)).size

const nameOf = ({ addresses, origin, port }: Endpoint): string =>
  origin.kind === "Pod" || origin.kind === "WorkloadEntry" ? origin.name : hostPort(addresses[0] ?? "", port)

/** `shop/cart` for a Kubernetes service, `legacy/erp.example.internal` for others. */
export const shortName = (namespace: string, hostname: string): string => {
  const suffix = hostname.indexOf(`.${namespace}.svc.`)
  return `${namespace}/${suffix < 0 ? hostname : hostname.slice(0, suffix)}`
}
