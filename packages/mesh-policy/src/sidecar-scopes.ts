import type { Entry, Reader } from "@istiod-lite/collections"
import {
  compareByAge,
  type Labels,
  objectKey,
  type Proxy,
  type Service,
  type Sidecar
} from "@istiod-lite/model"
import { computeScope } from "./common-scope.ts"
import { memoOne } from "./identity-memo.ts"
import type { MeshRoutes } from "./mesh-routes.ts"
import {
  type ExportedService,
  meshOf,
  type PolicyCollections,
  type PolicyInputs
} from "./policy-collections.ts"
import { compareMetaByAge } from "./policy-order.ts"
import { rememberedQuery } from "./remembered-query.ts"
import { equalScopes, type SidecarScope } from "./sidecar-scope.ts"
import { chooseSidecar } from "./sidecar-selection.ts"
import { audienceOf, everyone, includes } from "./visibility.ts"

/**
 * Scopes kept at a time, one per namespace and Sidecar that proxies ask for; each is a list of references to
 * services, about 100 kB at 1,000 services.
 */
const scopeCapacity = 2000

const servicesByAge = memoOne((entries: ReadonlyArray<Entry<ExportedService>>): ReadonlyArray<Service> =>
  entries.map(([, { service }]) => service).toSorted(compareByAge)
)

const routesByAge = memoOne((entries: ReadonlyArray<Entry<MeshRoutes>>): ReadonlyArray<MeshRoutes> =>
  entries.map(([, routes]) => routes).toSorted(compareMetaByAge)
)

const scopeKey = (namespace: string, sidecar: Sidecar | undefined): string =>
  `${namespace}|${sidecar === undefined ? "" : objectKey(sidecar.meta)}`

/** The parts of a scope's key. */
export const sidecarOfKey = (key: string): { readonly namespace: string; readonly sidecar: string } => {
  const bar = key.indexOf("|")
  return { namespace: key.slice(0, bar), sidecar: key.slice(bar + 1) }
}

/** The scope of a proxy whose labels are known; gateways have that of their namespace without Sidecars. */
export const sidecarScopes = (
  { config, graph, mesh, servicesByHostname }: PolicyInputs,
  collections: PolicyCollections
): ((read: Reader, proxy: Proxy, labels: Labels) => SidecarScope) => {
  const visibleTo = (read: Reader, namespace: string): ReadonlyArray<Service> => {
    const named = servicesByAge(read.lookup(collections.servicesByAudience, namespace))
    const open = servicesByAge(read.lookup(collections.servicesByAudience, everyone))
    return named.length === 0 ? open : [...named, ...open]
  }

  const routesFor = (read: Reader, namespace: string): ReadonlyArray<MeshRoutes> => {
    const named = routesByAge(read.lookup(collections.routesByAudience, namespace))
    return [
      ...named.filter((routes) => routes.namespace === namespace),
      ...named.filter((routes) => routes.namespace !== namespace),
      ...routesByAge(read.lookup(collections.routesByAudience, everyone))
    ]
  }

  const scopeOf = rememberedQuery<SidecarScope>(
    graph,
    (read, key) => {
      const { namespace, sidecar } = sidecarOfKey(key)
      const { defaultServiceExportTo } = meshOf(read, mesh)
      return computeScope({
        key,
        namespace,
        egress: read.get(config.Sidecar, sidecar)?.egress ?? [],
        visible: visibleTo(read, namespace),
        isVisible: (service) =>
          includes(audienceOf(service.exportTo, defaultServiceExportTo, service.namespace), namespace),
        servicesOf: (hostname) => read.lookup(servicesByHostname, hostname).map(([, service]) => service),
        routes: routesFor(read, namespace)
      })
    },
    { capacity: scopeCapacity, equals: equalScopes }
  )

  return (read, proxy, labels) => {
    const sidecarsOf = (namespace: string) => read.get(collections.sidecars, namespace) ?? []
    const sidecar =
      proxy.type === "router"
        ? undefined
        : chooseSidecar(sidecarsOf(proxy.namespace), sidecarsOf(meshOf(read, mesh).rootNamespace), labels)
    return scopeOf(read, scopeKey(proxy.namespace, sidecar))
  }
}
