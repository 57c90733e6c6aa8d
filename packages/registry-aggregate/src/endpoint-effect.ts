import type { Change } from "@istiod-lite/collections"
import {
  type Endpoint,
  type EndpointGroup,
  equalEndpoints,
  isHeadless,
  type Protocol,
  type Service,
  type ServiceEndpoints
} from "@istiod-lite/model"
import { isUnseen, type PlanContext } from "./plan-context.ts"

/**
 * What a change of a service's endpoints means to its clients: nothing, as there are none to tell; nothing, as it is of
 * endpoints that none is sent; other endpoints; other identities, which clusters name (S-61); or other listeners, one
 * for each address of a headless service (S-19).
 */
export type EndpointEffect = "nothing" | "unsent" | "endpoints" | "accounts" | "listeners"

/** What the change means. A service that is gone, or that nobody sees, has no clients left to tell. */
export const effectOnClients = (
  { now, old }: Change<ServiceEndpoints>,
  context: PlanContext
): EndpointEffect => {
  if (now === undefined) return "nothing"
  const services = context.servicesOfHost(now.hostname).filter(({ namespace }) => namespace === now.namespace)
  if (services.every((service) => isUnseen(service, context))) return "nothing"
  // Endpoints come with their service: if they are new so is it, and it is pushed by name.
  if (old !== undefined && !equalTexts(old.serviceAccounts, now.serviceAccounts)) return "accounts"

  const isSent = sentFor(services, context.sendUnhealthyEndpoints)
  const [before, after] = middles(old?.groups ?? [], now.groups)
  const changed = !equalSent(sentOf(before, isSent), sentOf(after, isSent)) || emptiesShard(old, now)
  if (!changed) return "unsent"
  return services.some(needsListeners) ? "listeners" : "endpoints"
}

/**
 * Whether any client may be sent an endpoint. What is left out is left out for all (S-62): ports that no definition
 * has, terminating ones, and unhealthy ones where they are not to be sent and nothing else asks for them.
 */
const sentFor = (
  services: ReadonlyArray<Service>,
  sendUnhealthy: boolean
): ((endpoint: Endpoint) => boolean) => {
  const ports = new Set(services.flatMap((service) => service.ports.map(({ name }) => name)))
  const all = services.some(({ kube }) => kube?.publishNotReadyAddresses)
  const unhealthy = sendUnhealthy || services.some(({ trafficDistribution }) => trafficDistribution !== "Any")
  return ({ health, servicePortName }) =>
    ports.has(servicePortName) && (all || (health !== "TERMINATING" && (health !== "UNHEALTHY" || unhealthy)))
}

/** The lists without the values with which both begin and those with which both end. */
const middles = <A>(
  a: ReadonlyArray<A>,
  b: ReadonlyArray<A>
): readonly [ReadonlyArray<A>, ReadonlyArray<A>] => {
  const most = Math.min(a.length, b.length)
  let start = 0
  while (start < most && a[start] === b[start]) start++
  let end = 0
  while (end < most - start && a.at(-1 - end) === b.at(-1 - end)) end++
  return [a.slice(start, a.length - end), b.slice(start, b.length - end)]
}

const sentOf = (
  groups: ReadonlyArray<EndpointGroup>,
  isSent: (endpoint: Endpoint) => boolean
): ReadonlyArray<Endpoint> => groups.flatMap((group) => group.endpoints.filter(isSent))

const equalSent = (a: ReadonlyArray<Endpoint>, b: ReadonlyArray<Endpoint>): boolean =>
  a.length === b.length &&
  a.every((endpoint, i) => {
    const other = b[i]
    return other !== undefined && equalEndpoints(endpoint, other)
  })

/** A shard that loses its last endpoint always pushes (S-61). */
const emptiesShard = (old: ServiceEndpoints | undefined, now: ServiceEndpoints): boolean => {
  const filled = filledShards(now.groups)
  return [...filledShards(old?.groups)].some((shard) => !filled.has(shard))
}

const filledShards = (groups: ReadonlyArray<EndpointGroup> = []): ReadonlySet<string> =>
  new Set(groups.flatMap(({ endpoints, shard }) => (endpoints.length > 0 ? [shard] : [])))

/** HTTP of a headless service is routed by name, so only the name table tells its addresses; the rest is by address. */
const needsListeners = (service: Service): boolean =>
  isHeadless(service) && service.ports.some(({ protocol }) => !httpProtocols.has(protocol))

/** What clients route by request; TLS that they do not open is not among them. */
const httpProtocols: ReadonlySet<Protocol> = new Set(["HTTP", "HTTP2", "HTTP_PROXY", "GRPC", "GRPC-Web"])

const equalTexts = (a: ReadonlyArray<string>, b: ReadonlyArray<string>): boolean =>
  a.length === b.length && a.every((text, i) => text === b[i])
