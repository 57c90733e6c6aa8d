import type { Graph, Source } from "@istiod-lite/collections"
import { MeshPolicy, type PolicyQueries } from "@istiod-lite/mesh-policy"
import {
  defaultMeshConfig,
  DiscoveryGraph,
  MeshConfig,
  type MeshConfigValue,
  meshKey,
  ObjectSource,
  type Proxy,
  Registries,
  ServiceDiscovery,
  ServiceEntryStatuses,
  type WorkloadExchange,
  type XdsGenerator,
  XdsGenerators,
  type XdsResource,
  XdsUpdater
} from "@istiod-lite/model"
import {
  layerPushPlanner,
  layerRegistries,
  layerServiceDiscovery,
  layerWorkloadExchange
} from "@istiod-lite/registry-aggregate"
import { layerKubeRegistries } from "@istiod-lite/registry-kube"
import {
  layerServiceEntryRegistry,
  layerStatusAllocator,
  type StatusAllocatorOptions
} from "@istiod-lite/registry-serviceentry"
import { layerEdsGenerator } from "@istiod-lite/xds-eds"
import { Context, Effect, Layer, Option, type Scope } from "effect"
import { layerMemorySource, type MemoryObjects, MemorySource } from "./memory-source.ts"

/** What a registry's layer may ask for. */
export type RegistryNeeds = DiscoveryGraph | ObjectSource | MeshConfig | Registries | WorkloadExchange

/** How a control plane in memory differs from the default one. */
export interface ControlPlaneOptions {
  /** Default: `Kubernetes`. */
  readonly configCluster?: string
  /** Clusters that are there from the start, besides the configuration cluster. */
  readonly clusters?: ReadonlyArray<string>
  /** Over `defaultMeshConfig`. */
  readonly mesh?: Partial<MeshConfigValue>
  /** Runs the allocator that writes automatic addresses into the status of ServiceEntries. Default: none. */
  readonly allocator?: StatusAllocatorOptions | undefined
  /** Default: the Kubernetes registries and the ServiceEntry registry. */
  readonly registries?: Layer.Layer<never, never, RegistryNeeds>
  /** How the registries are merged. Default: without DNS. */
  readonly discovery?: typeof layerServiceDiscovery
  /** Whether the clusters count as read from the start; if not, `source.store.markSynced` says when. Default: true. */
  readonly synced?: boolean
  /** Where everything is derived. Default: a graph of its own. */
  readonly graph?: Layer.Layer<DiscoveryGraph>
  /** Where objects come from, if not from `source`, which then leads nowhere. */
  readonly objects?: Layer.Layer<ObjectSource, never, DiscoveryGraph>
}

/** A control plane without network: objects go in through `source`, and everything derived can be asked at once. */
export interface ControlPlane {
  readonly graph: Graph
  readonly source: MemoryObjects
  readonly objects: ObjectSource["Service"]
  /** written under `meshKey` */
  readonly mesh: Source<MeshConfigValue>
  readonly registries: Registries["Service"]
  readonly discovery: ServiceDiscovery["Service"]
  /** what the allocator wrote, if there is one */
  readonly statuses: ServiceEntryStatuses["Service"] | undefined
  readonly policy: PolicyQueries
  /** what a connected proxy would be sent for these names; throws if the type is not served */
  readonly resources: (
    typeUrl: string,
    names: ReadonlyArray<string>,
    proxy: Proxy
  ) => ReadonlyArray<XdsResource>
}

/**
 * Builds a control plane that lives as long as the scope.
 *
 * @param updater told what each transaction asks to push. Left out: nothing is planned
 */
export const makeControlPlane = (
  options: ControlPlaneOptions = {},
  updater?: XdsUpdater["Service"]
): Effect.Effect<ControlPlane, never, Scope.Scope> => {
  const layer = layerControlPlane(options)
  const planned =
    updater === undefined
      ? layer
      : Layer.provideMerge(Layer.provide(layerPushPlanner, Layer.succeed(XdsUpdater, updater)), layer)
  return Effect.map(Layer.build(planned), controlPlaneOf)
}

/** What a control plane is made of. */
export type ControlPlaneServices =
  | DiscoveryGraph
  | MemorySource
  | MeshConfig
  | MeshPolicy
  | ObjectSource
  | Registries
  | ServiceDiscovery
  | WorkloadExchange
  | WritableMesh
  | XdsGenerators

/** The parts of a control plane that tests ask for. */
export const controlPlaneOf = (context: Context.Context<ControlPlaneServices>): ControlPlane => ({
  graph: Context.get(context, DiscoveryGraph),
  source: Context.get(context, MemorySource),
  objects: Context.get(context, ObjectSource),
  mesh: Context.get(context, WritableMesh),
  registries: Context.get(context, Registries),
  discovery: Context.get(context, ServiceDiscovery),
  statuses: Option.getOrUndefined(Context.getOption(context, ServiceEntryStatuses)),
  policy: Context.get(context, MeshPolicy),
  resources: resourcesOf(Context.get(context, XdsGenerators))
})

/** The same as a layer, for tests of what is built upon the capabilities. */
export const layerControlPlane = ({
  allocator,
  clusters = [],
  configCluster = "Kubernetes",
  discovery = layerServiceDiscovery,
  graph = DiscoveryGraph.layer,
  mesh = {},
  objects,
  registries = Layer.mergeAll(layerKubeRegistries, layerServiceEntryRegistry),
  synced = true
}: ControlPlaneOptions = {}): Layer.Layer<ControlPlaneServices> =>
  Layer.merge(registries, layerEdsGenerator()).pipe(
    Layer.provideMerge(MeshPolicy.layer),
    Layer.provideMerge(discovery),
    Layer.provideMerge(allocator === undefined ? Layer.empty : layerStatusAllocator(allocator)),
    Layer.provideMerge(
      Layer.mergeAll(
        objects === undefined
          ? layerMemorySource({ configCluster, clusters, synced })
          : Layer.provideMerge(objects, layerMemorySource()),
        layerRegistries,
        layerWorkloadExchange
      )
    ),
    Layer.provideMerge(layerMesh({ ...defaultMeshConfig, ...mesh })),
    Layer.provideMerge(graph)
  )

const resourcesOf =
  (generators: ReadonlyArray<XdsGenerator>): ControlPlane["resources"] =>
  (typeUrl, names, proxy) => {
    const generator = generators.find((one) => one.typeUrl === typeUrl)
    if (generator === undefined) throw new Error(`Cannot make resources: no generator serves ${typeUrl}`)
    return generator.generate(names, proxy)
  }

/** The mesh configuration for those who change it while the control plane runs. */
export class WritableMesh extends Context.Service<WritableMesh, Source<MeshConfigValue>>()(
  "@istiod-lite/testkit/WritableMesh"
) {}

const layerMesh = (value: MeshConfigValue): Layer.Layer<MeshConfig | WritableMesh, never, DiscoveryGraph> =>
  Layer.effectContext(
    Effect.map(DiscoveryGraph, (graph) => {
      const source = graph.source<MeshConfigValue>("mesh configuration")
      source.set(meshKey, value)
      return Context.make(WritableMesh, source).pipe(Context.add(MeshConfig, source))
    })
  )
