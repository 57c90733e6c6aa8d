/** The registry of a Kubernetes cluster: services, endpoints, workloads and gateways from its objects. */
export {
  convertEndpointSlice,
  type IgnoredSlice,
  ignoredSlice,
  serviceNameOfSlice
} from "./src/convert-endpoint-slice.ts"
export { layerAutoExport } from "./src/auto-export.ts"
export { type ImportedService, indexImports } from "./src/cluster-set.ts"
export { convertService } from "./src/convert-service.ts"
export { type KubeRegistry, makeKubeRegistry } from "./src/kube-registry.ts"
export { layerKubeRegistries } from "./src/layer.ts"
export type { AutoExportOptions } from "./src/unexported-services.ts"
export { targetPortOnMachine } from "./src/target-port.ts"
