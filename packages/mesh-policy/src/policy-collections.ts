import type { Collection, Graph, Index, Reader } from "@istiod-lite/collections"
import {
  type Collections,
  defaultMeshConfig,
  type DestinationRule,
  type IstioObjects,
  isWildcard,
  type MeshConfigValue,
  meshKey,
  objectKey,
  resolveShortName,
  type Service,
  type Sidecar
} from "@istiod-lite/model"
import { externalName, type ResolvedAlias, resolveAlias } from "./aliases.ts"
import { equalHostRules, equalRules, gatherRules, type HostRules } from "./destination-rules.ts"
import { isMeshRoutes, type MeshRoutes, readMeshRoutes } from "./mesh-routes.ts"
import { gatherPolicies, type NamespacePolicies } from "./peer-authentication.ts"
import { orderSidecars } from "./sidecar-selection.ts"
import { audienceOf, includes } from "./visibility.ts"

/** What mesh policy is computed from. */
export interface PolicyInputs {
  readonly graph: Graph
  /** merged services of all registries */
  readonly services: Collection<Service>
  readonly servicesByHostname: Index<Service>
  readonly config: Collections<IstioObjects>
  /** under `meshKey` */
  readonly mesh: Collection<MeshConfigValue>
}

/** A service and the namespaces that it is exported to; `*` = all. */
export interface ExportedService {
  readonly service: Service
  readonly audience: ReadonlyArray<string>
}

export type PolicyCollections = ReturnType<typeof policyCollections>

export const meshOf = (read: Reader, mesh: Collection<MeshConfigValue>): MeshConfigValue =>
  read.get(mesh, meshKey) ?? defaultMeshConfig

const sameContent = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

/** The key under which the gateways are listed that forward by TLS server name. */
export const autoPassthroughKey = "AUTO_PASSTHROUGH"

/**
 * The derived collections that policies are looked up in: each changes only where an object changes, and none of
 * them depends on a proxy.
 */
export const policyCollections = (inputs: PolicyInputs) => ({
  ...exportedServices(inputs),
  ...resolvedAliases(inputs),
  ...meshRoutes(inputs),
  ...destinationRules(inputs),
  ...perNamespace(inputs),
  passthroughGateways: inputs.graph.index("gateways by TLS server name", inputs.config.Gateway, (gateway) =>
    gateway.servers.some(({ tlsMode }) => tlsMode === "AUTO_PASSTHROUGH") ? [autoPassthroughKey] : []
  )
})

const exportedServices = ({ graph, mesh, services }: PolicyInputs) => {
  const exported = graph.map<Service, ExportedService>(
    "exported services",
    services,
    (_, service, read) => {
      const byDefault = meshOf(read, mesh).defaultServiceExportTo
      return { audience: audienceOf(service.exportTo, byDefault, service.namespace), service }
    },
    { reads: [mesh], equals: (a, b) => a.service === b.service && String(a.audience) === String(b.audience) }
  )
  return { servicesByAudience: graph.index("services by audience", exported, ({ audience }) => audience) }
}

const resolvedAliases = ({ graph, services, servicesByHostname }: PolicyInputs) => {
  const aliases = graph.map<Service, ResolvedAlias>(
    "aliases",
    services,
    (_, service, read) =>
      resolveAlias(service, (hostname) => {
        const targets = read.lookup(servicesByHostname, hostname).map(([, target]) => externalName(target))
        return targets.find((target) => target !== undefined)
      }),
    {
      reads: [servicesByHostname],
      equals: (a, b) => a.hostname === b.hostname && a.namespace === b.namespace && a.target === b.target
    }
  )
  return { aliasesByTarget: graph.index("aliases by target", aliases, ({ target }) => [target]) }
}

const meshRoutes = ({ config, graph, mesh }: PolicyInputs) => {
  const routes = graph.map<IstioObjects["VirtualService"], MeshRoutes>(
    "mesh routes",
    config.VirtualService,
    (_, own, read) => {
      if (!isMeshRoutes(own)) return undefined
      const { defaultVirtualServiceExportTo, domainSuffix } = meshOf(read, mesh)
      const audience = (of: typeof own): ReadonlyArray<string> =>
        audienceOf(of.exportTo, defaultVirtualServiceExportTo, of.meta.namespace)
      const delegateOf = (namespace: string, name: string): typeof own | undefined => {
        const delegate = read.get(config.VirtualService, objectKey({ namespace, name }))
        const usable = delegate?.hosts.length === 0 && includes(audience(delegate), own.meta.namespace)
        return usable ? delegate : undefined
      }
      return readMeshRoutes(own, audience(own), delegateOf, domainSuffix)
    },
    { reads: [mesh, config.VirtualService], equals: sameContent }
  )
  return { routesByAudience: graph.index("mesh routes by audience", routes, ({ audience }) => audience) }
}

const destinationRules = ({ config, graph, mesh }: PolicyInputs) => {
  const resolved = graph.map<DestinationRule, DestinationRule>(
    "destination rules",
    config.DestinationRule,
    (_, rule, read) => {
      const host = resolveShortName(rule.host, rule.meta.namespace, meshOf(read, mesh).domainSuffix)
      return host === rule.host ? rule : { ...rule, host }
    },
    { reads: [mesh], equals: equalRules }
  )
  const byHost = graph.index("destination rules by host", resolved, ({ host, meta }) => [
    hostRulesKey(meta.namespace, host)
  ])
  const hostRules = graph.group<DestinationRule, HostRules>(
    "destination rules of hosts",
    byHost,
    (key, entries, read) => {
      const slash = key.indexOf("/")
      const rules = entries.map(([, rule]) => rule)
      const byDefault = meshOf(read, mesh).defaultDestinationRuleExportTo
      return gatherRules(key.slice(0, slash), key.slice(slash + 1), rules, byDefault)
    },
    { reads: [mesh], equals: equalHostRules }
  )
  return {
    hostRules,
    wildcardRules: graph.index("wildcard destination rules", hostRules, ({ host, namespace }) =>
      isWildcard(host) ? [namespace] : []
    )
  }
}

/** The key of a namespace's rules for a host. */
export const hostRulesKey = (namespace: string, host: string): string => `${namespace}/${host}`

const perNamespace = ({ config, graph }: PolicyInputs) => ({
  sidecars: graph.group<Sidecar, ReadonlyArray<Sidecar>>(
    "sidecars of namespaces",
    graph.index("sidecars by namespace", config.Sidecar, ({ meta }) => [meta.namespace]),
    (_, entries) => orderSidecars(entries.map(([, sidecar]) => sidecar))
  ),
  peerAuthentications: graph.group<IstioObjects["PeerAuthentication"], NamespacePolicies>(
    "peer authentications of namespaces",
    graph.index("peer authentications by namespace", config.PeerAuthentication, ({ meta }) => [
      meta.namespace
    ]),
    (_, entries) => gatherPolicies(entries.map(([, policy]) => policy))
  )
})
