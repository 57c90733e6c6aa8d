/** The registry of ServiceEntries and WorkloadEntries, with automatic addresses. */
export {
  allocateIstioV1,
  allocateStable,
  type AutoAddresses,
  fnv1a,
  wantsAutoAddress
} from "./src/auto-allocate.ts"
export { convertServiceEntry } from "./src/convert-service-entry.ts"
export { convertInlineEndpoint, convertWorkloadEntry } from "./src/convert-workload-entry.ts"
export { layerServiceEntryRegistry } from "./src/layer.ts"
export { makeServiceEntryRegistry, type ServiceEntryRegistry } from "./src/service-entry-registry.ts"
