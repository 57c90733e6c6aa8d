import type { MeshPolicy } from "@istiod-lite/mesh-policy"
import type {
  DiscoveryGraph,
  MeshConfig,
  ObjectSource,
  ProxyAuthenticator,
  Registries,
  ServiceDiscovery,
  WorkloadExchange,
  XdsGenerator
} from "@istiod-lite/model"
import { layerKubeRegistries } from "@istiod-lite/registry-kube"
import { layerServiceEntryRegistry } from "@istiod-lite/registry-serviceentry"
import type { Context, Effect, Layer } from "effect"

/** What a registry may ask for. */
export type RegistryNeeds = DiscoveryGraph | ObjectSource | MeshConfig | Registries | WorkloadExchange

/** Where objects and the mesh configuration come from. Its failures are told to the user by their message. */
export type SourcePlugin = Layer.Layer<ObjectSource | MeshConfig, Error, DiscoveryGraph>

/** Adds services and endpoints to `Registries`. */
export type RegistryPlugin = Layer.Layer<never, never, RegistryNeeds>

/** Makes one resource type for proxies. */
export type GeneratorPlugin = Effect.Effect<
  XdsGenerator,
  never,
  DiscoveryGraph | MeshPolicy | ServiceDiscovery
>

/** What a control plane is made of. */
export interface Plugins {
  /** Left out: the files that the command line names. */
  readonly sources?: SourcePlugin
  readonly registries: ReadonlyArray<RegistryPlugin>
  /** Left out: endpoints (EDS). */
  readonly generators?: ReadonlyArray<GeneratorPlugin>
  /** Left out: any client is accepted as what it says it is. */
  readonly authenticator?: Context.Service.Shape<typeof ProxyAuthenticator>
}

/** The registries of the app: Kubernetes objects of every cluster, and Istio's ServiceEntries and WorkloadEntries. */
export const defaultRegistries: ReadonlyArray<RegistryPlugin> = [
  layerKubeRegistries,
  layerServiceEntryRegistry
]

/**
 * A control plane as a list of plugins; what is left out is as in the app, which is such a list itself. The default
 * export of an `istiod-lite.config.ts`.
 */
export const controlPlane = (plugins: Partial<Plugins> = {}): Plugins => ({
  registries: defaultRegistries,
  ...plugins
})
