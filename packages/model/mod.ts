/**
 * The vocabulary of service discovery: services, endpoints, workloads, proxies, the objects they are read from,
 * and the capabilities that the packages implement for each other.
 */
export * from "./src/addresses.ts"
export * from "./src/augment-labels.ts"
export * from "./src/capabilities.ts"
export * from "./src/endpoint.ts"
export * from "./src/hostname.ts"
export * from "./src/labels.ts"
export * from "./src/locality.ts"
export * from "./src/mesh-config.ts"
export * from "./src/network.ts"
export * from "./src/objects/istio.ts"
export * from "./src/objects/kinds.ts"
export * from "./src/objects/kube.ts"
export * from "./src/objects/meta.ts"
export * from "./src/protocol.ts"
export * from "./src/proxy.ts"
export * from "./src/service.ts"
export * from "./src/workload.ts"
export * from "./src/xds.ts"
