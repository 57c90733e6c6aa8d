/**
 * The control plane as a list of plugins, for an `istiod-lite.config.ts`.
 */
export { layerDiscovery, type Discovery } from "./src/compose/layer-discovery.ts"
export {
  controlPlane,
  defaultRegistries,
  type GeneratorPlugin,
  type Plugins,
  type RegistryNeeds,
  type RegistryPlugin,
  type SourcePlugin
} from "./src/compose/plugins.ts"
