import { compareByAge, type Service, type SidecarEgress } from "@istiod-lite/model"
import { type Egress, excludes, type HostSet, imports, importsRoutesOf } from "./egress-hosts.ts"
import { type MeshRoutes, neededHosts } from "./mesh-routes.ts"
import { withPorts } from "./service-merge.ts"
import { everyone } from "./visibility.ts"

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

/** A service that a listener imports, reduced to the ports that it is about. */
export interface Imported {
  readonly service: Service
  /** the host set by which it came, undefined when nothing narrows its aliases */
  readonly by: HostSet | undefined
}

/** What the hosts of a listener name; of one hostname all services of one namespace. */
export const namedServices = (egress: Egress, inputs: ScopeInputs): ReadonlyArray<Imported> => {
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
export const inferredServices = (egress: Egress, inputs: ScopeInputs): ReadonlyArray<Service> =>
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
