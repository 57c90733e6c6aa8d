import { MeshPolicy } from "@istiod-lite/mesh-policy"
import {
  DiscoveryGraph,
  type MeshConfig,
  type ObjectSource,
  type Registries,
  type ServiceDiscovery,
  type WorkloadExchange
} from "@istiod-lite/model"
import {
  layerRegistries,
  layerServiceDiscovery,
  layerWorkloadExchange
} from "@istiod-lite/registry-aggregate"
import { Layer } from "effect"
import type { Plugins, SourcePlugin } from "./plugins.ts"

/** Everything that can be asked without a client being connected. */
export type Discovery =
  | DiscoveryGraph
  | MeshConfig
  | MeshPolicy
  | ObjectSource
  | Registries
  | ServiceDiscovery
  | WorkloadExchange

/**
 * Objects from `sources`, read by the registries of `plugins`, merged into one phone book with the policies over it.
 *
 * @param sources may give more than objects, such as the way to write them: it is passed on
 * @param aggregate how the registries are merged; the default resolves no names by DNS
 */
export const layerDiscovery = <More = never>(
  { registries }: Pick<Plugins, "registries">,
  sources: SourcePlugin | Layer.Layer<ObjectSource | MeshConfig | More, Error, DiscoveryGraph>,
  aggregate: typeof layerServiceDiscovery = layerServiceDiscovery
): Layer.Layer<Discovery | More, Error> => {
  const inputs = Layer.mergeAll(sources, layerRegistries, layerWorkloadExchange)
  const [first = Layer.empty, ...others] = registries
  return MeshPolicy.layer.pipe(
    Layer.provideMerge(Layer.mergeAll(first, ...others)),
    Layer.provideMerge(aggregate),
    Layer.provideMerge(inputs),
    Layer.provideMerge(DiscoveryGraph.layer)
  )
}
