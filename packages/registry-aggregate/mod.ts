/** All registries as one: the merged services, endpoints by service, network gateways and queries about proxies. */
export { GatewayAddresses } from "./src/gateway-addresses.ts"
export { compareSlices, joinEndpoints } from "./src/join-endpoints.ts"
export { mergeServices } from "./src/merge-services.ts"
export { layerRegistries } from "./src/registries.ts"
export {
  layerServiceDiscovery,
  layerServiceDiscoveryDns,
  layerServiceDiscoveryNoDeps
} from "./src/service-discovery.ts"
export { layerWorkloadExchange } from "./src/workload-exchange.ts"
