import type { Reader } from "@istiod-lite/collections"
import {
  DiscoveryGraph,
  equalServices,
  gatewaysKey,
  isIp,
  keyOfService,
  MeshConfig,
  Registries,
  type Service,
  ServiceDiscovery,
  type ServiceEndpoints,
  serviceKey
} from "@istiod-lite/model"
import { Effect, Layer } from "effect"
import type { Dns } from "effect/net"
import { GatewayAddresses } from "./gateway-addresses.ts"
import { allGateways, equalGateways, resolveGateways } from "./mesh-gateways.ts"
import { mergeKey, mergeServices } from "./merge-services.ts"
import { proxyQueries } from "./proxy-queries.ts"
import { equalServiceEndpoints, joinServiceEndpoints } from "./service-endpoints.ts"

/** The phone book of whatever registries there are at the moment. */
export const layerServiceDiscoveryNoDeps: Layer.Layer<
  ServiceDiscovery,
  never,
  DiscoveryGraph | Registries | MeshConfig | GatewayAddresses
> = Layer.effect(
  ServiceDiscovery,
  Effect.gen(function* () {
    const graph = yield* DiscoveryGraph
    const registries = yield* Registries
    const mesh = yield* MeshConfig
    const gatewayAddresses = yield* GatewayAddresses

    const precedenceOf = (read: Reader, key: string): number =>
      read.get(registries.all, key.slice(0, key.indexOf("|")))?.precedence ?? 2
    const services = graph.group<Service, Service>(
      "services",
      graph.index("services to merge", registries.services, (service, key) => [mergeKey(service, key)]),
      // Keys begin with the registry's id, so clusters are in text order already; the configuration's goes first.
      (_, entries, read) =>
        mergeServices(entries.toSorted(([a], [b]) => precedenceOf(read, a) - precedenceOf(read, b))),
      { reads: [registries.all], equals: equalServices }
    )

    const endpointsByService = graph.index("endpoints by service", registries.endpoints, (group) => [
      serviceKey(group.namespace, group.hostname)
    ])
    const endpoints = graph.group<Service, ServiceEndpoints>(
      "endpoints",
      graph.index("services by key", services, (service) => [keyOfService(service)]),
      (key, _, read) =>
        joinServiceEndpoints(
          key,
          read.lookup(endpointsByService, key).map(([, group]) => group),
          read.previous(key)
        ),
      { reads: [endpointsByService], equals: equalServiceEndpoints }
    )

    const gatewaysOfServices = graph.index("network gateways of services", registries.gateways, () => [
      gatewaysKey
    ])
    const gateways = graph.flatMap(
      "network gateways",
      mesh,
      (_, settings, read) => {
        const named = allGateways(
          settings.networks,
          read.lookup(gatewaysOfServices, gatewaysKey).map(([, gateway]) => gateway)
        )
        const addressesOf = (hostname: string) => read.get(gatewayAddresses.byHostname, hostname) ?? []
        return [[gatewaysKey, resolveGateways(named, isIp, addressesOf)] as const]
      },
      { reads: [gatewaysOfServices, gatewayAddresses.byHostname], equals: equalGateways }
    )

    return ServiceDiscovery.of({
      services,
      byHostname: graph.index("services by hostname", services, (service) => [service.hostname]),
      endpoints,
      gateways,
      ...proxyQueries(graph, registries.all),
      synced: () =>
        [...registries.all.values()].every((registry) => registry.synced()) &&
        gatewayAddresses.pending().length === 0
    })
  })
)

/** Without DNS: network gateways that are named by hostname are left out. */
export const layerServiceDiscovery: Layer.Layer<
  ServiceDiscovery,
  never,
  DiscoveryGraph | Registries | MeshConfig
> = layerServiceDiscoveryNoDeps.pipe(Layer.provide(GatewayAddresses.layerNone))

/** With DNS for network gateways that are named by hostname; what it answered can be read, for copies. */
export const layerServiceDiscoveryDns: Layer.Layer<
  ServiceDiscovery | GatewayAddresses,
  never,
  DiscoveryGraph | Registries | MeshConfig | Dns.Dns
> = layerServiceDiscoveryNoDeps.pipe(Layer.provideMerge(GatewayAddresses.layerDns()))
