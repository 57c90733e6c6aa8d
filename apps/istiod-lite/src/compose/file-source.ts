import type { DiscoveryGraph, MeshConfig, MeshConfigValue, ObjectSource } from "@istiod-lite/model"
import { layerFileSource, type SourceFaults } from "@istiod-lite/source-files"
import { Effect, Layer, Option } from "effect"
import { WrongUse } from "../query/query-error.ts"
import { type AddressStateError, layerAddressAllocator } from "./address-state.ts"
import { multiClusterSwitches } from "./multi-cluster-switches.ts"
import type { SourceOptions } from "./source-options.ts"

/** The files that the command line names, as a source; with an allocator of addresses, if it names a file for them. */
export const fileSource = (
  options: SourceOptions,
  watch: boolean
): Layer.Layer<ObjectSource | MeshConfig | SourceFaults, AddressStateError | WrongUse, DiscoveryGraph> =>
  Layer.unwrap(Effect.map(multiClusterSwitches(options), (switches) => filesWith(options, switches, watch)))

const filesWith = (
  options: SourceOptions,
  switches: Partial<MeshConfigValue>,
  watch: boolean
): Layer.Layer<ObjectSource | MeshConfig | SourceFaults, AddressStateError | WrongUse, DiscoveryGraph> => {
  const { addressState, clusters, configCluster, manifests, meshConfig, meshNetworks } = options
  const addressMode = Option.getOrElse(options.addressMode, () => "stable" as const)
  const files = layerFileSource({
    manifests,
    clusters,
    configCluster,
    meshConfig: Option.getOrUndefined(meshConfig),
    meshNetworks: Option.getOrUndefined(meshNetworks),
    meshDefaults: { addressMode, ...switches },
    watch
  })
  if (Option.isNone(addressState)) return files
  if (addressMode !== "status") {
    const message = `--address-state is for --address-mode status; mode ${addressMode} computes its addresses, there is nothing to keep.`
    return Layer.effectContext(Effect.fail(new WrongUse({ message })))
  }
  return layerAddressAllocator(addressState.value, watch).pipe(Layer.provideMerge(files))
}
