import { compareByAge, type Service, type SidecarEgress } from "@istiod-lite/model"
import { type Egress, excludes, type HostSet, imports, importsRoutesOf, readEgress } from "./egress-hosts.ts"
import { type MeshRoutes, neededHosts } from "./mesh-routes.ts"
import { mergeServices, withPorts } from "./service-merge.ts"
import { everyone } from "./visibility.ts"

/** The services that the proxies of one namespace, or those that one Sidecar selects there, may call. */
export interface SidecarScope {
  /** one per namespace and Sidecar */
  readonly key: string
  /** of the proxies; with a Sidecar of the root namespace this is not the Sidecar's */
  readonly namespace: string
  /** one per hostname, sorted by hostname, merged as S-47 says and reduced to the ports that are imported */
  readonly services: ReadonlyArray<Service>
  readonly byHostname: ReadonlyMap<string, Service>
  /** which aliases came along, by the hostname of the service they lead to; all of them where it says nothing */
  readonly aliasImports: ReadonlyMap<string, HostSet>
}

/** What a scope is made from. Lists are in the order in which their first member wins. */
export interface ScopeInputs {
  readonly key: string
  readonly namespace: string
  readonly egress: ReadonlyArray<SidecarEgress>
  /** services that the namespace may see: those exported to it by name first, then public ones; each by age */
  readonly visible: ReadonlyArray<Service>
  readonly isVisible: (service: Service) => boolean
  /** all services of a hostname, visible or not */
  readonly servicesOf: (hostname: string) => ReadonlyArray<Service>
  /** routes that the namespace may see, its own first */
  readonly routes: ReadonlyArray<MeshRoutes>
}

interface Imported {
  readonly service: Service
  /** the host set by which it came, undefined when nothing narrows its aliases */
  readonly by: HostSet | undefined
}

/**
 * Computes what a proxy sees (S-46): listener by listener, first the services that its hosts name, then those that
 * the routes it imports send to. What comes first wins a hostname, so an explicit import is never replaced by an
 * inferred one, except that Kubernetes services replace others.
 *
 * Source: istio pilot/pkg/model/sidecar.go (collectImportedServices).
 */
export const computeSidecarScope = (inputs: ScopeInputs): SidecarScope => {
  const chosen = new Map<string, Imported>()
  for (const egress of readEgress(inputs.egress, inputs.namespace)) {
    for (const imported of namedServices(egress, inputs)) add(chosen, imported)
    for (const service of inferredServices(egress, inputs)) add(chosen, { service, by: undefined })
  }
  const hostnames = [...chosen.keys()].toSorted()
  const imported = hostnames.flatMap((hostname) => chosen.get(hostname) ?? [])
  const services = imported.map(({ service }) => service)
  return {
    key: inputs.key,
    namespace: inputs.namespace,
    services,
    byHostname: new Map(services.map((service) => [service.hostname, service])),
    aliasImports: new Map(
      imported.flatMap(({ by, service }) =>
        by === undefined || by.wildcards.includes(everyone) ? [] : [[service.hostname, by]]
      )
    )
  }
}

const add = (chosen: Map<string, Imported>, { by, service }: Imported): void => {
  const first = chosen.get(service.hostname)
  if (first === undefined) {
    chosen.set(service.hostname, { by, service })
    return
  }
  const merged = mergeServices(first.service, service)
  if (merged !== first.service) {
    chosen.set(service.hostname, { by: merged === service ? by : first.by, service: merged })
  }
}

/** What the hosts of a listener name; of one hostname all services of one namespace. */
const namedServices = (egress: Egress, inputs: ScopeInputs): ReadonlyArray<Imported> => {
  const imported: Array<Imported> = []
  for (const service of egress.exact ? exactServices(egress, inputs) : inputs.visible) {
    if (excludes(egress, service.namespace, service.hostname)) continue
    const by = importing(egress, service)
    const reduced = by === undefined ? undefined : onPort(service, egress)
    if (reduced !== undefined) imported.push({ service: reduced, by })
  }
  return ofOneNamespace(imported, inputs.namespace)
}

/** The host set that imports a service: that of its namespace before that of all. */
const importing = ({ hosts }: Egress, { hostname, namespace }: Service): HostSet | undefined => {
  const own = hosts.get(namespace)
  if (own !== undefined && imports(own, hostname)) return own
  const all = hosts.get(everyone)
  return all !== undefined && imports(all, hostname) ? all : undefined
}

const onPort = (service: Service, { port }: Egress): Service | undefined =>
  port === undefined ? service : withPorts(service, [port])

/** A listener that names each host and namespace gets one service for each, so later definitions add no ports. */
const exactServices = ({ hosts }: Egress, inputs: ScopeInputs): ReadonlyArray<Service> =>
  [...hosts]
    .flatMap(([namespace, { names }]) =>
      [...names].map((hostname) =>
        preferred(inputs.servicesOf(hostname).filter((service) => service.namespace === namespace))
      )
    )
    .filter((service) => service !== undefined)
    .filter(inputs.isVisible)
    .toSorted(compareByAge)

/** Kubernetes services before others, then the oldest. */
const preferred = (services: ReadonlyArray<Service>): Service | undefined => {
  const byAge = services.toSorted(compareByAge)
  return byAge.find(({ provider }) => provider === "Kubernetes") ?? byAge[0]
}

/** Keeps one namespace per hostname: the client's own, else that of a Kubernetes service, else the first. */
const ofOneNamespace = (imported: ReadonlyArray<Imported>, own: string): ReadonlyArray<Imported> => {
  const winners = new Map<string, Service>()
  for (const { service } of imported) {
    const winner = winners.get(service.hostname)
    const better =
      winner === undefined ||
      service.namespace === own ||
      (winner.namespace !== own && winner.provider !== "Kubernetes" && service.provider === "Kubernetes")
    if (better) winners.set(service.hostname, service)
  }
  return imported.filter(({ service }) => winners.get(service.hostname)?.namespace === service.namespace)
}

/** What the routes that a listener imports send to. */
const inferredServices = (egress: Egress, inputs: ScopeInputs): ReadonlyArray<Service> =>
  inputs.routes
    .filter((routes) => importsRoutes(egress, routes))
    .flatMap((routes) => neededHosts(routes, inputs.namespace))
    .flatMap(({ host, ports }) => {
      const service = destinationService(host, inputs)
      if (service === undefined) return []
      const wanted = egress.port === undefined ? ports : [egress.port]
      const reduced = wanted.length === 0 ? service : withPorts(service, wanted)
      return reduced === undefined ? [] : [reduced]
    })

const importsRoutes = (egress: Egress, { hosts, namespace }: MeshRoutes): boolean =>
  [egress.hosts.get(namespace), egress.hosts.get(everyone)].some(
    (set) =>
      set !== undefined &&
      hosts.some((host) => importsRoutesOf(set, host) && !excludes(egress, namespace, host))
  )

/** A route's destination is the namespace's own service of that name, whomever it is exported to; else a visible one. */
const destinationService = (hostname: string, inputs: ScopeInputs): Service | undefined => {
  const services = inputs.servicesOf(hostname)
  return (
    preferred(services.filter(({ namespace }) => namespace === inputs.namespace)) ??
    preferred(perNamespace(services).filter(inputs.isVisible))
  )
}

/** The definition that stands for a hostname in each namespace, whether it is visible or not. */
const perNamespace = (services: ReadonlyArray<Service>): ReadonlyArray<Service> =>
  [...Map.groupBy(services, ({ namespace }) => namespace).values()]
    .map(preferred)
    .filter((service) => service !== undefined)

/** Whether two scopes are the same to every client. */
export const equalScopes = (a: SidecarScope, b: SidecarScope): boolean =>
  a.services.length === b.services.length &&
  a.services.every((service, i) => service === b.services[i]) &&
  aliasText(a) === aliasText(b)

const aliasText = ({ aliasImports }: SidecarScope): string =>
  JSON.stringify(
    [...aliasImports].map(([hostname, { names, wildcards }]) => [hostname, [...names], wildcards])
  )
