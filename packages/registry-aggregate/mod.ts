/** All registries as one: the merged services, endpoints by service, network gateways and queries about proxies. */
export { GatewayAddresses, type GatewayLookups } from "./src/gateway-addresses.ts"
export { compareSlices, joinEndpoints } from "./src/join-endpoints.ts"
export { endpointsJson } from "./src/json/endpoints-json.ts"
export { gatewaysJson } from "./src/json/gateways-json.ts"
export {
  canonicalText,
  compact,
  compareCanonically,
  isList,
  isRecord,
  type Json,
  type JsonRecord
} from "./src/json/json-value.ts"
export { servicesJson } from "./src/json/services-json.ts"
export { type ProxyFacts, targetsJson } from "./src/json/targets-json.ts"
export { type VisibleFacts, visibleJson } from "./src/json/visible-json.ts"
export { mergeServices } from "./src/merge-services.ts"
export { layerPushPlanner } from "./src/push-planner.ts"
export { isForNobody, type PlanContext } from "./src/plan-context.ts"
export { type DiscoveryChanges, planPush } from "./src/push-planning.ts"
export { layerRegistries } from "./src/registries.ts"
export {
  layerServiceDiscovery,
  layerServiceDiscoveryDns,
  layerServiceDiscoveryNoDeps
} from "./src/service-discovery.ts"
export { makeUnsynced, type Unsynced, untilSynced } from "./src/unsynced.ts"
export { layerWorkloadExchange } from "./src/workload-exchange.ts"
