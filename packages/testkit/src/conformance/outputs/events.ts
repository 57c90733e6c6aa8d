import type { Proxy } from "@istiod-lite/model"
import { namesProxy } from "../../pushes/push-coverage.ts"
import { canonicalText, isList, isRecord, type Json } from "../json.ts"
import { identityOf, type UnorderedList } from "../order-rules.ts"
import type { StepPushes } from "../step-pushes.ts"

export const eventsOrder: ReadonlyArray<UnorderedList> = [
  { at: [], identity: identityOf("of", "name", "proxy") }
]

/**
 * `events.json`: what may be held against the pushes of a step, as a list.
 *
 * - `{of: "endpoints" | "service", name}`: a service was named of which no client of the scenario sees a difference
 *   of that kind
 * - `{of: "proxy", name, ips}`: a client was named for which nothing differs
 * - `{of: "full"}`: everything was asked for
 * - `{of: "missed", …}`: a client sees a difference that no push named
 */
export const eventsJson = ({ changes, clients, missed, request }: StepPushes): Json => {
  if (request === undefined && missed.length === 0) return []
  const seen = (kinds: ReadonlyArray<string>): ReadonlySet<string> =>
    new Set(changes.filter(({ of }) => kinds.includes(of)).flatMap(({ hostnames }) => hostnames))
  const services = unseen(request?.services, seen(["service"]))
  const endpoints = unseen(request?.endpoints, seen(["service", "assignment", "targets"]))
  const moved = new Set(changes.map(({ proxy }) => proxy))
  const proxies = clients.filter(
    (proxy) => request !== undefined && namesProxy(request, proxy) && !moved.has(proxy)
  )
  return [
    ...services.map((name) => ({ of: "service", name })),
    ...endpoints.map((name) => ({ of: "endpoints", name })),
    ...proxies.map(({ id, ips }: Proxy) => ({ of: "proxy", name: id, ips })),
    ...(request?.full ? [{ of: "full", name: [...request.reasons.keys()].join(" ") }] : []),
    ...missed.map(({ name, of, proxy }) => ({ of: "missed", name: `${of} ${name}`, proxy: proxy.id }))
  ]
}

const unseen = (keys: ReadonlySet<string> = new Set(), seen: ReadonlySet<string>): ReadonlyArray<string> =>
  [...keys].filter((key) => !seen.has(key.slice(key.indexOf("/") + 1)))

/**
 * What istiod's calls allow of it. They agree in kind: `eds` means endpoints; `service`, or a push that names the
 * service, means service, which includes its endpoints; `proxy` means that proxy; any other push means everything.
 * Ours may be fewer (D-15). A push that tells a client something new needs no permission: whether it should be told is
 * for the other files to say.
 */
export const settleEvents = (expected: Json, actual: Json): Json => {
  const allowed = allowedBy(isList(expected) ? expected : [])
  return isList(actual) ? actual.filter((item) => isRecord(item) && isAllowed(allowed, item)) : actual
}

interface Allowed {
  readonly full: boolean
  readonly services: ReadonlySet<string>
  readonly endpoints: ReadonlySet<string>
  readonly ips: ReadonlySet<string>
}

const isAllowed = (
  { endpoints, full, ips, services }: Allowed,
  item: { readonly [name: string]: Json }
): boolean => {
  const name = textOf(item.name)
  if (item.of === "missed") return false
  if (full) return true
  if (item.of === "service") return services.has(name)
  if (item.of === "endpoints") return services.has(name) || endpoints.has(name)
  return item.of === "proxy" && isList(item.ips) && item.ips.some((ip) => ips.has(textOf(ip)))
}

/** Kinds of objects by which a push names a service, and what it means there. */
const namedBy: Readonly<Record<string, "services" | "endpoints">> = {
  ServiceEntry: "services",
  Endpoints: "services",
  DNSName: "endpoints"
}

const allowedBy = (events: ReadonlyArray<Json>): Allowed => {
  const services = new Set<string>()
  const endpoints = new Set<string>()
  const ips = new Set<string>()
  let full = false
  for (const event of events) {
    if (!isRecord(event)) continue
    const key = `${textOf(event.namespace)}/${textOf(event.hostname)}`
    if (event.type === "service") services.add(key)
    if (event.type === "eds") endpoints.add(key)
    if (event.type === "proxy") ips.add(textOf(event.ip))
    if (event.type !== "push") continue
    const configs = isList(event.configs) ? event.configs.map(textOf) : []
    if (configs.length === 0) full = true
    for (const config of configs) {
      const slash = config.indexOf("/")
      const kind = Object.hasOwn(namedBy, config.slice(0, slash))
        ? namedBy[config.slice(0, slash)]
        : undefined
      if (kind === undefined) full = true
      else (kind === "services" ? services : endpoints).add(config.slice(slash + 1))
    }
  }
  return { full, services, endpoints, ips }
}

const textOf = (value: Json | undefined): string =>
  typeof value === "string" ? value : value === undefined ? "" : canonicalText(value)
