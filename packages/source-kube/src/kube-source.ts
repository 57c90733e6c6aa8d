import type { Graph, Source } from "@istiod-lite/collections"
import {
  type ClusterStatus,
  ClusterStatuses,
  DiscoveryGraph,
  MeshConfig,
  type MeshConfigValue,
  meshKey,
  ObjectSource,
  ObjectStore,
  ObjectWriter
} from "@istiod-lite/model"
import { Context, Deferred, type Duration, Effect, Layer, type Scope } from "effect"
import { type ClusterSecret, clusterSecretLabel, isClusterSecret } from "./cluster-secrets.ts"
import { type ClusterSourceOptions, watchCluster } from "./cluster-source.ts"
import type { KubeClient } from "./kube-client.ts"
import type { KubeConfigError } from "./kube-config-error.ts"
import { followObjects } from "./follow-objects.ts"
import { type KubeConfigSource, loadKubeConfig } from "./load-kube-config.ts"
import { makeKubeClient } from "./make-kube-client.ts"
import { type MeshConfigMap, MeshSettings } from "./mesh-config-map.ts"
import { makeObjectWriter } from "./object-writer.ts"
import { makeRemoteClusters } from "./remote-clusters.ts"
import type { RawListed } from "./watch-event.ts"

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
  ObjectSource | MeshConfig | ObjectWriter | ClusterStatuses | ConfigClusterClient,
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
    Context.make(ClusterStatuses, { all: source.statuses }),
    Context.make(ConfigClusterClient, client)
  )
})

interface FollowedSource {
  readonly objects: ObjectSource["Service"]
  readonly mesh: Source<MeshConfigValue>
  readonly statuses: () => ReadonlyArray<ClusterStatus>
}

const followAll = (
  options: KubeSourceOptions,
  graph: Graph,
  client: KubeClient
): Effect.Effect<FollowedSource, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { configCluster = "Kubernetes", reflector, systemNamespace = "istio-system" } = options
    const read = graph.source<true>("what else was read of the configuration cluster")
    const mesh = graph.source<MeshConfigValue>("mesh", { equals: sameJson })
    const store = new ObjectStore(graph, configCluster, mesh)
    store.addCluster(configCluster)
    const followed = { client, namespace: systemNamespace, reflector }

    const settings = new MeshSettings(options.meshDefaults)
    mesh.set(meshKey, settings.value)
    const meshRead = yield* Deferred.make<void>()
    const { meshConfigMap = "istio" } = options
    yield* followObjects(
      { ...followed, plural: "configmaps", query: { fieldSelector: `metadata.name=${meshConfigMap}` } },
      isConfigMap,
      {
        onSet: (maps, log) => {
          const faults = settings.read(maps.get(meshConfigMap))
          if (faults.length > 0) {
            log(Effect.logWarning(`ConfigMap ${systemNamespace}/${meshConfigMap}: ${faults.join(". ")}`))
          }
          mesh.set(meshKey, settings.value)
        },
        onRead: Deferred.succeed(meshRead, undefined)
      }
    )

    const remote = yield* makeRemoteClusters({ ...options, graph, store })
    yield* followObjects(
      { ...followed, plural: "secrets", query: { labelSelector: clusterSecretLabel } },
      isClusterSecret,
      {
        onSet: (secrets: ReadonlyMap<string, ClusterSecret>) => remote.set(secrets.values()),
        onRead: Effect.sync(() => read.set("secrets", true))
      }
    )

    // Objects are read with the mesh configuration that they are to be read with, not with the defaults first.
    const source = watchCluster({
      client,
      cluster: configCluster,
      graph,
      store,
      ...(reflector === undefined ? {} : { reflector })
    })
    let status: (() => ClusterStatus) | undefined
    yield* Effect.forkScoped(
      Effect.gen(function* () {
        yield* Deferred.await(meshRead)
        status = (yield* source).status
        return yield* Effect.never
      }).pipe(Effect.scoped)
    )
    const since = Date.now()
    const unread: ClusterStatus = {
      cluster: configCluster,
      server: client.server,
      state: "syncing",
      error: undefined,
      since,
      kinds: []
    }
    return {
      objects: {
        configCluster,
        clusters: store.clusters,
        config: store.config,
        synced: () => store.synced() && read.get("secrets") === true
      },
      mesh,
      statuses: () => [status?.() ?? unread, ...remote.statuses()]
    }
  })

const isConfigMap = (raw: RawListed): raw is RawListed & MeshConfigMap => raw.metadata !== undefined

const sameJson = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)
