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
import { Context, Deferred, type Duration, Effect, FiberSet, Layer, type Scope } from "effect"
import { type ClusterSecret, clusterSecretLabel, isClusterSecret } from "./cluster-secrets.ts"
import { type ClusterSourceOptions, watchCluster } from "./cluster-source.ts"
import type { KubeClient } from "./kube-client.ts"
import type { KubeConfigError } from "./kube-config-error.ts"
import type { KubeError } from "./kube-error.ts"
import { type KubeConfigSource, loadKubeConfig } from "./load-kube-config.ts"
import { makeKubeClient } from "./make-kube-client.ts"
import { type MeshConfigMap, MeshSettings } from "./mesh-config-map.ts"
import { ObjectFeed, type ObjectFeedTarget } from "./object-feed.ts"
import { makeObjectWriter } from "./object-writer.ts"
import { reflect } from "./reflector.ts"
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
    const store = new ObjectStore(graph, configCluster)
    store.addCluster(configCluster)
    const read = graph.source<true>("what else was read of the configuration cluster")
    const mesh = graph.source<MeshConfigValue>("mesh", { equals: sameJson })
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

interface Followed {
  readonly client: KubeClient
  readonly namespace: string
  readonly plural: string
  readonly query: Readonly<Record<string, string>>
  readonly reflector: ClusterSourceOptions["reflector"] | undefined
}

interface FollowedTarget<A> {
  readonly onSet: (objects: ReadonlyMap<string, A>, log: (effect: Effect.Effect<void>) => void) => void
  /** They were read for the first time, or may not be read: nobody has to wait for them any more. */
  readonly onRead: Effect.Effect<unknown>
}

/** Follows the few objects of a core kind in one namespace. */
const followObjects = Effect.fnUntraced(function* <A extends RawListed>(
  { client, namespace, plural, query, reflector }: Followed,
  is: (raw: RawListed) => raw is A,
  { onRead, onSet }: FollowedTarget<A>
) {
  const fork = yield* FiberSet.makeRuntime()
  const name = `${plural} of namespace ${namespace}`
  let isRead = false
  let told = ""
  const once = (): void => {
    if (isRead) return
    isRead = true
    fork(onRead)
  }
  const target: ObjectFeedTarget<A> = {
    set: (objects) => {
      onSet(objects, (log) => void fork(log))
      once()
    },
    failed: (error, failures) => {
      // Connections get cut now and then: that is no news while the next attempt succeeds.
      if (told !== error.message && (failures > 1 || error.status === 403)) {
        fork(Effect.logWarning(refusal(error, plural)))
        told = error.message
      }
      if (error.status === 403) once()
    },
    healthy: () => {
      if (told !== "") fork(Effect.logInfo(`${name} are followed again`))
      told = ""
    }
  }
  const path = `/api/v1/namespaces/${namespace}/${plural}`
  yield* Effect.forkScoped(reflect({ client, name, path, query, ...reflector }, new ObjectFeed(is, target)))
})

const refusal = (error: KubeError, plural: string): string =>
  error.status === 403
    ? `${error.message}. Add a rule to the role: apiGroups: [""], resources: ["${plural}"], verbs: ["list", "watch"].`
    : error.message

const isConfigMap = (raw: RawListed): raw is RawListed & MeshConfigMap => raw.metadata !== undefined

const sameJson = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)
