import type { Collection, Graph } from "@istiod-lite/collections"
import {
  type ClusterStatus,
  ClusterStatuses,
  ClusterWriters,
  DiscoveryGraph,
  MeshConfig,
  type MeshConfigValue,
  meshKey,
  ObjectSource,
  ObjectStore,
  ObjectWriter
} from "@istiod-lite/model"
import { Context, type Duration, Effect, Layer, type Scope } from "effect"
import { type ClusterSecret, clusterSecretLabel, isClusterSecret } from "./cluster-secrets.ts"
import { type ClusterSourceOptions, watchCluster } from "./cluster-source.ts"
import type { KubeClient } from "./kube-client.ts"
import type { KubeConfigError } from "./kube-config-error.ts"
import { followObjects } from "./follow-objects.ts"
import { type KubeConfigSource, loadKubeConfig } from "./load-kube-config.ts"
import { makeKubeClient } from "./make-kube-client.ts"
import { followMesh } from "./mesh-config-map.ts"
import { multiClusterKindsOf } from "./multi-cluster-kinds.ts"
import { makeObjectWriter } from "./object-writer.ts"
import { makeRemoteClusters } from "./remote-clusters.ts"

/** Which API server is the configuration cluster's, and how clusters are followed. */
export interface KubeSourceOptions {
  readonly kubeconfig: KubeConfigSource
  /** Default: `Kubernetes`, as Istio calls it. */
  readonly configCluster?: string
  /** where Istio's ConfigMap and the secrets of further clusters are; default `istio-system` */
  readonly systemNamespace?: string
  /** how long a further cluster may hold up readiness */
  readonly clusterTimeout?: Duration.Input
  /** unsafe settings that kubeconfigs in secrets may have */
  readonly allowedSettings?: ReadonlySet<string>
  /** the mesh configuration, in the place of the ConfigMap's, which is not read then */
  readonly mesh?: Collection<MeshConfigValue>
  /** what the mesh configuration does not say */
  readonly meshDefaults?: Partial<MeshConfigValue>
  /** name of the ConfigMap with the mesh configuration; default `istio` */
  readonly meshConfigMap?: string
  readonly reflector?: ClusterSourceOptions["reflector"]
}

/** The client of the configuration cluster's API server. */
export class ConfigClusterClient extends Context.Service<ConfigClusterClient, KubeClient>()(
  "@istiod-lite/source-kube/ConfigClusterClient"
) {}

/**
 * The objects of an API server, and of the clusters that its secrets name, as they are: lists, then watches. Building
 * the layer waits for nobody: an API server that does not answer is told, and tried again.
 */
export const layerKubeSource = (
  options: KubeSourceOptions
): Layer.Layer<
  ObjectSource | MeshConfig | ObjectWriter | ClusterWriters | ClusterStatuses | ConfigClusterClient,
  KubeConfigError,
  DiscoveryGraph
> => Layer.effectContext(make(options))

const make = Effect.fn("layerKubeSource")(function* (options: KubeSourceOptions) {
  const graph = yield* DiscoveryGraph
  const client = yield* makeKubeClient(yield* loadKubeConfig(options.kubeconfig))
  const source = yield* followAll(options, graph, client)
  return Context.mergeAll(
    Context.make(ObjectSource, source.objects),
    Context.make(MeshConfig, source.mesh),
    Context.make(ObjectWriter, makeObjectWriter(client)),
    Context.make(ClusterWriters, { of: source.writerOf }),
    Context.make(ClusterStatuses, { all: source.statuses }),
    Context.make(ConfigClusterClient, client)
  )
})

interface FollowedSource {
  readonly objects: ObjectSource["Service"]
  readonly mesh: Collection<MeshConfigValue>
  readonly statuses: () => ReadonlyArray<ClusterStatus>
  readonly writerOf: (cluster: string) => ObjectWriter["Service"] | undefined
}

const followAll = (
  options: KubeSourceOptions,
  graph: Graph,
  client: KubeClient
): Effect.Effect<FollowedSource, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { configCluster = "Kubernetes", reflector, systemNamespace = "istio-system" } = options
    const followed = { client, namespace: systemNamespace, reflector }
    const { mesh, untilRead } =
      options.mesh === undefined
        ? yield* followMesh(
            { ...followed, name: options.meshConfigMap, defaults: options.meshDefaults },
            graph
          )
        : { mesh: options.mesh, untilRead: Effect.void }
    const store = new ObjectStore(graph, configCluster, mesh)
    store.addCluster(configCluster)
    // Switches, no settings of the document: they are what they are at the start.
    const multiClusterKinds = multiClusterKindsOf(mesh.get(meshKey))
    const read = graph.source<true>("what else was read of the configuration cluster")

    const remote = yield* makeRemoteClusters({ ...options, graph, store, multiClusterKinds })
    yield* followObjects(
      { ...followed, plural: "secrets", query: { labelSelector: clusterSecretLabel } },
      isClusterSecret,
      {
        onSet: (secrets: ReadonlyMap<string, ClusterSecret>) => remote.set(secrets.values()),
        onRead: Effect.sync(() => read.set("secrets", true))
      }
    )

    // Objects are looked at with the mesh configuration that they are to be looked at with, not with the defaults first.
    const source = yield* watchCluster({
      client,
      cluster: configCluster,
      graph,
      store,
      multiClusterKinds,
      after: untilRead,
      ...(reflector === undefined ? {} : { reflector })
    })
    return {
      objects: {
        configCluster,
        clusters: store.clusters,
        config: store.config,
        synced: () => store.synced() && read.get("secrets") === true
      },
      mesh,
      statuses: () => [source.status(), ...remote.statuses()],
      writerOf: (cluster) => {
        const of = cluster === configCluster ? client : remote.clientOf(cluster)
        return of === undefined ? undefined : makeObjectWriter(of)
      }
    }
  })
