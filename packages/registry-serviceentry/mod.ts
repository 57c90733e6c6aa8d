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
export { AddressPool, type AddressPoolState } from "./src/address-pool.ts"
export { type AllocatorState, StatusAllocator } from "./src/status-allocator.ts"
export { layerStatusAllocator, type StatusAllocatorOptions } from "./src/status-layer.ts"
export { poolQuarantined, poolSize, poolUsed } from "./src/pool-metrics.ts"
export { layerStatusWriter, type StatusWriterOptions } from "./src/status-writer.ts"
