/** A registry that is driven by code: for tests, and for sources of services that are not Kubernetes. */
export { layerMemoryRegistry } from "./src/layer.ts"
export { makeMemoryRegistry, type MemoryRegistry, type MemoryRegistryOptions } from "./src/memory-registry.ts"
export type { MemoryEndpoint, MemoryService, ServiceName } from "./src/memory-values.ts"
