import type { DiscoveryGraph, MeshConfig, ObjectSource } from "@istiod-lite/model"
import { layerFileSource, type SourceFaults } from "@istiod-lite/source-files"
import { type Layer, Option } from "effect"
import type { SourceOptions } from "./source-options.ts"

/** The files that the command line names, as a source. */
export const fileSource = (
  { addressMode, clusters, configCluster, manifests, meshConfig, meshNetworks }: SourceOptions,
  watch: boolean
): Layer.Layer<ObjectSource | MeshConfig | SourceFaults, never, DiscoveryGraph> =>
  layerFileSource({
    manifests,
    clusters,
    configCluster,
    meshConfig: Option.getOrUndefined(meshConfig),
    meshNetworks: Option.getOrUndefined(meshNetworks),
    meshDefaults: { addressMode },
    watch
  })
