import {
  type ClusterStatuses,
  type ClusterWriters,
  type DiscoveryGraph,
  MeshConfig,
  type ObjectSource,
  type ObjectWriter
} from "@istiod-lite/model"
import { type ConfigClusterClient, type KubeConfigSource, layerKubeSource } from "@istiod-lite/source-kube"
import { Effect, Layer, Option } from "effect"
import { WrongUse } from "../query/query-error.ts"
import { multiClusterSwitches } from "./multi-cluster-switches.ts"
import { namesFiles, type SourceOptions } from "./source-options.ts"

/** What comes from an API server: objects, and the way to write them. */
export type ApiServerSource =
  | ObjectSource
  | MeshConfig
  | ObjectWriter
  | ClusterWriters
  | ClusterStatuses
  | ConfigClusterClient

/** Which credentials the flags name. */
export const kubeConfigOf = ({
  context,
  inCluster,
  kubeconfig
}: Pick<SourceOptions, "context" | "inCluster" | "kubeconfig">): Effect.Effect<
  KubeConfigSource,
  WrongUse
> => {
  if (inCluster && Option.isSome(kubeconfig)) {
    return Effect.fail(new WrongUse({ message: "--kubeconfig FILE or --in-cluster: one of them." }))
  }
  if (Option.isSome(kubeconfig)) {
    return Effect.succeed({ from: "file", file: kubeconfig.value, context: Option.getOrUndefined(context) })
  }
  return inCluster
    ? Effect.succeed({ from: "pod" })
    : Effect.fail(
        new WrongUse({ message: "Name an API server: --kubeconfig FILE, or --in-cluster in a pod." })
      )
}

/**
 * The objects of the API server that the flags name. Mesh settings that are named as files win over the ConfigMap's.
 */
export const apiServerSource = (
  options: SourceOptions
): Layer.Layer<ApiServerSource, Error, DiscoveryGraph> =>
  Layer.unwrap(
    Effect.gen(function* () {
      if (namesFiles(options)) {
        const message =
          "Files (--manifests, --cluster) or an API server (--kubeconfig, --in-cluster): one of them."
        return yield* new WrongUse({ message })
      }
      if (Option.isSome(options.addressState)) {
        const message =
          "--address-state is for files; with an API server, addresses are kept in status.addresses."
        return yield* new WrongUse({ message })
      }
      const { allowInSecrets, clusterTimeout, configCluster, meshConfig, meshNetworks, systemNamespace } =
        options
      const addressMode = Option.getOrElse(options.addressMode, () => "status" as const)
      const meshDefaults = { addressMode, ...(yield* multiClusterSwitches(options)) }
      const sourceOptions = {
        kubeconfig: yield* kubeConfigOf(options),
        configCluster,
        systemNamespace,
        clusterTimeout,
        allowedSettings: new Set(allowInSecrets),
        meshDefaults
      }
      if (Option.isNone(meshConfig) && Option.isNone(meshNetworks)) return layerKubeSource(sourceOptions)
      const { layerFileSource } = yield* Effect.promise(() => import("@istiod-lite/source-files"))
      const files = layerFileSource({
        manifests: [],
        meshConfig: Option.getOrUndefined(meshConfig),
        meshNetworks: Option.getOrUndefined(meshNetworks),
        meshDefaults
      })
      const source = Effect.map(MeshConfig, (mesh) => layerKubeSource({ ...sourceOptions, mesh }))
      return Layer.unwrap(source).pipe(Layer.provide(files))
    })
  )
