import type { Graph } from "@istiod-lite/collections"
import {
  type EndpointGroup,
  equalEndpointGroups,
  equalServices,
  type NetworkGateway,
  type Provider,
  type Registry,
  type Service,
  serviceKey,
  shardKey,
  type Staleness
} from "@istiod-lite/model"
import { firstAddressesOf, labelsOf, targetsOf } from "./endpoint-queries.ts"
import {
  completeEndpoint,
  completeService,
  defaultNamespace,
  type MemoryEndpoint,
  type MemoryService,
  type ServiceName
} from "./memory-values.ts"

/** What a registry driven by code says of itself. */
export interface MemoryRegistryOptions {
  /** unique among all registries, without `|` */
  readonly id: string
  /** Default: `External`, as for ServiceEntries. Services of provider `Kubernetes` are merged across clusters (S-41). */
  readonly provider?: Provider
  /** Default: `Kubernetes`, which clients take for their own if they name none. */
  readonly cluster?: string
  /** S-40. Default: 2, after Kubernetes. */
  readonly precedence?: Registry["precedence"]
  /** Default: synced from the start. Nothing is served before (S-82). */
  readonly synced?: () => boolean
}

/** A registry whose content a program writes. Every write is a transaction; `transaction` makes one of several. */
export interface MemoryRegistry {
  readonly registry: Registry
  /** Adds or replaces a service. One that is equal to what is there changes nothing. */
  readonly setService: (service: MemoryService) => void
  /** Removes a service with its endpoints. */
  readonly removeService: (name: ServiceName) => void
  /** Makes these all the endpoints of a service. They count while the service is there, whichever came first (S-13). */
  readonly setEndpoints: (name: ServiceName, endpoints: ReadonlyArray<MemoryEndpoint>) => void
  /** Makes these all the network gateways of the registry (S-44). */
  readonly setGateways: (gateways: ReadonlyArray<NetworkGateway>) => void
  /**
   * Says since when and why what it holds may be out of date, because its source failed or fell silent; undefined: it
   * is up to date again. What it holds is served in any case.
   */
  readonly setStale: (stale: Staleness | undefined) => void
  readonly transaction: <A>(run: () => A) => A
}

/** Makes a registry that is driven by code, for tests and for sources of your own; `Registries.add` takes it in. */
export const makeMemoryRegistry = (graph: Graph, options: MemoryRegistryOptions): MemoryRegistry => {
  const { cluster = "Kubernetes", id, precedence = 2, provider = "External", synced = () => true } = options
  const owner = { provider, cluster }
  const shard = shardKey(provider, cluster)
  const name = (what: string): string => `${id}/${what}`
  const keyOf = ({ hostname, namespace = defaultNamespace }: ServiceName): string =>
    `${id}|${serviceKey(namespace, hostname)}`

  const services = graph.source<Service>(name("services"), { equals: equalServices })
  const written = graph.source<ReadonlyArray<MemoryEndpoint>>(name("written endpoints"))
  const gateways = graph.source<NetworkGateway>(name("gateways"), { equals: equalGateways })
  const endpoints = graph.map<ReadonlyArray<MemoryEndpoint>, EndpointGroup>(
    name("endpoints"),
    written,
    (key, of, read) => {
      const service = read.get(services, key)
      if (service === undefined) return undefined
      const { hostname, namespace } = service
      return {
        hostname,
        namespace,
        shard,
        endpoints: of.map((endpoint) => completeEndpoint(endpoint, service, owner))
      }
    },
    { reads: [services], equals: equalEndpointGroups }
  )
  const byAddress = graph.index(name("endpoints by address"), endpoints, firstAddressesOf)

  let stale: Staleness | undefined
  const registry: Registry = {
    id,
    provider,
    cluster,
    precedence,
    services,
    endpoints,
    gateways,
    targets: (read, proxy) => targetsOf(read, byAddress, (group) => read.get(services, keyOf(group)), proxy),
    workloadLabels: (read, proxy) => labelsOf(read, byAddress, proxy),
    reads: [services, byAddress],
    synced,
    stale: () => stale
  }
  return {
    registry,
    setService: (service) => services.set(keyOf(service), completeService(service, owner)),
    removeService: (of) =>
      graph.transaction(() => {
        services.delete(keyOf(of))
        written.delete(keyOf(of))
      }),
    setEndpoints: (of, all) => (all.length === 0 ? written.delete(keyOf(of)) : written.set(keyOf(of), all)),
    setGateways: (all) => gateways.replace(all.map((gateway) => [`${id}|${gatewayText(gateway)}`, gateway])),
    setStale: (now) => void (stale = now),
    transaction: (run) => graph.transaction(run)
  }
}

const gatewayText = ({ address, cluster, network, port }: NetworkGateway): string =>
  `${network}|${cluster}|${address}|${port}`

const equalGateways = (a: NetworkGateway, b: NetworkGateway): boolean => gatewayText(a) === gatewayText(b)
