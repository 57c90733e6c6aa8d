import { resolveShortName, type RouteDestination, type VirtualService } from "@istiod-lite/model"

/** The name that stands for all sidecars among a VirtualService's gateways. */
const meshGateway = "mesh"

/** What a VirtualService tells about the services that its clients need (S-46). */
export interface MeshRoutes {
  readonly namespace: string
  readonly name: string
  /** RFC 3339 */
  readonly creationTime: string
  readonly hosts: ReadonlyArray<string>
  /** namespaces that it is exported to; `*` = all */
  readonly audience: ReadonlyArray<string>
  readonly destinations: ReadonlyArray<RouteDestination>
}

/** A host of routes, with the ports of it that they use; `[]` = all ports. */
export interface NeededHost {
  readonly host: string
  readonly ports: ReadonlyArray<number>
}

/** Only routes of sidecars add services to a scope; one without hosts is a delegate, and nothing by itself. */
export const isMeshRoutes = ({ gateways, hosts }: VirtualService): boolean =>
  hosts.length > 0 && (gateways.length === 0 || gateways.includes(meshGateway))

/**
 * Reads the routes of a VirtualService together with those of its delegates, which count only for the namespaces
 * that the delegating route matches. Short names are of the namespace of the object that has them.
 *
 * Source: istio pilot/pkg/model/virtualservice_controller.go (mergeVirtualServices).
 */
export const readMeshRoutes = (
  own: VirtualService,
  audience: ReadonlyArray<string>,
  delegateOf: (namespace: string, name: string) => VirtualService | undefined,
  domainSuffix: string
): MeshRoutes => {
  const { creationTime, name, namespace } = own.meta
  const resolved = (of: VirtualService): ReadonlyArray<RouteDestination> =>
    of.destinations.map((it) => ({
      ...it,
      host: resolveShortName(it.host, of.meta.namespace, domainSuffix)
    }))
  const delegated = (own.delegates ?? []).flatMap((reference) => {
    const delegate = delegateOf(reference.namespace || namespace, reference.name)
    if (delegate === undefined) return []
    return resolved(delegate).map((it) => narrowed(it, reference.sourceNamespaces))
  })
  return {
    namespace,
    name,
    creationTime,
    hosts: own.hosts.map((host) => resolveShortName(host, namespace, domainSuffix)),
    audience,
    destinations: [...resolved(own), ...delegated]
  }
}

const narrowed = (
  destination: RouteDestination,
  sources: ReadonlyArray<string> | undefined
): RouteDestination => {
  if (sources === undefined) return destination
  const own = destination.sourceNamespaces
  return {
    ...destination,
    sourceNamespaces: own === undefined ? sources : own.filter((source) => sources.includes(source))
  }
}

/** The hosts that clients of a namespace need for these routes, sorted. */
export const neededHosts = ({ destinations }: MeshRoutes, namespace: string): ReadonlyArray<NeededHost> => {
  const ports = new Map<string, Set<number>>()
  for (const { host, port, sourceNamespaces } of destinations) {
    if (sourceNamespaces !== undefined && namespace !== "" && !sourceNamespaces.includes(namespace)) continue
    ports.set(host, (ports.get(host) ?? new Set()).add(port))
  }
  return [...ports]
    .map(([host, used]) => ({ host, ports: used.has(0) ? [] : [...used] }))
    .toSorted((a, b) => (a.host < b.host ? -1 : 1))
}
