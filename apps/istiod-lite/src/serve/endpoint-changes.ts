import type { Change } from "@istiod-lite/collections"
import type { Endpoint, EndpointGroup, ServiceEndpoints } from "@istiod-lite/model"
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
  const [gone, come] = differences(old?.groups ?? [], now.groups)
  const before = byIdentity(gone)
  const after = byIdentity(come)
  const happened = [
    ...[...after].flatMap(([id, endpoint]) => arrival(before.get(id), endpoint)),
    ...[...before].flatMap(([id, endpoint]) => (after.has(id) ? [] : [`- ${nameOf(endpoint)}`]))
  ]
  if (happened.length === 0) return undefined
  const names = [...new Set(happened)]
  const told = names.slice(0, mostNamed).join(", ")
  const more = names.length > mostNamed ? `, and ${names.length - mostNamed} more` : ""
  const { hostname, namespace } = now
  const [from, to] = countUsable(old, now, gone, come)
  const count = from === to ? counted(to, "endpoint") : `${from} → ${counted(to, "endpoint")}`
  return `${shortName(namespace, hostname)}: ${count} (${told}${more})`
}

type Groups = ReadonlyArray<EndpointGroup>

/**
 * The groups of one list that are not the same values in the other, of both: what did not change is not looked at. Of a
 * single group that changed, only the endpoints from the first difference to the last.
 */
const differences = (old: Groups, now: Groups): readonly [gone: Groups, come: Groups] => {
  const [before, after] = [new Set(old), new Set(now)]
  const gone = old.filter((group) => !after.has(group))
  const come = now.filter((group) => !before.has(group))
  const [was, is] = [gone[0], come[0]]
  if (was === undefined || is === undefined || gone.length > 1 || come.length > 1) return [gone, come]
  const [a, b] = [was.endpoints, is.endpoints]
  const most = Math.min(a.length, b.length)
  let start = 0
  while (start < most && a[start] === b[start]) start++
  let end = 0
  while (end < most - start && a.at(-1 - end) === b.at(-1 - end)) end++
  return [
    [{ ...was, endpoints: a.slice(start, a.length - end) }],
    [{ ...is, endpoints: b.slice(start, b.length - end) }]
  ]
}

const byIdentity = (groups: Groups): ReadonlyMap<string, Endpoint> =>
  new Map(
    groups.flatMap((group) =>
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

type Tally = Map<string, number>

/** How often each workload that takes new requests stands in a service's groups, for the states that were told last. */
const tallies = new WeakMap<ServiceEndpoints, Tally>()

const addTo = (tally: Tally, groups: Groups, by: 1 | -1): Tally => {
  for (const { endpoints } of groups)
    for (const endpoint of endpoints) {
      if (!isTaken(endpoint)) continue
      const name = nameOf(endpoint)
      const times = (tally.get(name) ?? 0) + by
      if (times === 0) tally.delete(name)
      else tally.set(name, times)
    }
  return tally
}

/**
 * How many workloads take new requests before and after, each once however many ports it has. The tally goes from state to
 * state: of 10,000 endpoints only those are counted whose groups changed.
 */
const countUsable = (
  old: ServiceEndpoints | undefined,
  now: ServiceEndpoints,
  gone: Groups,
  come: Groups
): readonly [from: number, to: number] => {
  const tally = (old === undefined ? undefined : tallies.get(old)) ?? addTo(new Map(), old?.groups ?? [], 1)
  const from = tally.size
  if (old !== undefined) tallies.delete(old)
  tallies.set(now, addTo(addTo(tally, come, 1), gone, -1))
  return [from, tally.size]
}

const nameOf = ({ addresses, origin, port }: Endpoint): string =>
  origin.kind === "Pod" || origin.kind === "WorkloadEntry" ? origin.name : hostPort(addresses[0] ?? "", port)

/** `shop/cart` for a Kubernetes service, `legacy/erp.example.internal` for others. */
export const shortName = (namespace: string, hostname: string): string => {
  const suffix = hostname.indexOf(`.${namespace}.svc.`)
  return `${namespace}/${suffix < 0 ? hostname : hostname.slice(0, suffix)}`
}
