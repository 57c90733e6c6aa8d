import type { Graph, Source } from "@istiod-lite/collections"
import {
  defaultMeshConfig,
  DiscoveryGraph,
  MeshConfig,
  type MeshConfigValue,
  meshKey,
  ObjectSource,
  Registries,
  ServiceDiscovery,
  type WorkloadExchange
} from "@istiod-lite/model"
import {
  layerRegistries,
  layerServiceDiscovery,
  layerWorkloadExchange
} from "@istiod-lite/registry-aggregate"
import { layerKubeRegistries } from "@istiod-lite/registry-kube"
import { layerServiceEntryRegistry } from "@istiod-lite/registry-serviceentry"
import { Context, Effect, Layer, type Scope } from "effect"
import { layerMemorySource, type MemoryObjects, MemorySource } from "./memory-source.ts"

/** What a registry's layer may ask for. */
export type RegistryNeeds = DiscoveryGraph | ObjectSource | MeshConfig | Registries | WorkloadExchange

export interface ControlPlaneOptions {
  /** Default: `Kubernetes`. */
  readonly configCluster?: string
  /** Clusters that are there from the start, besides the configuration cluster. */
  readonly clusters?: ReadonlyArray<string>
  /** Over `defaultMeshConfig`. */
  readonly mesh?: Partial<MeshConfigValue>
  /** Default: the Kubernetes registries and the ServiceEntry registry. */
  readonly registries?: Layer.Layer<never, never, RegistryNeeds>
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
}

/** Builds a control plane that lives as long as the scope. */
export const makeControlPlane = (
  options: ControlPlaneOptions = {}
): Effect.Effect<ControlPlane, never, Scope.Scope> =>
  Effect.gen(function* () {
    const context = yield* Layer.build(layerControlPlane(options))
    return {
      graph: Context.get(context, DiscoveryGraph),
      source: Context.get(context, MemorySource),
      objects: Context.get(context, ObjectSource),
      mesh: Context.get(context, WritableMesh),
      registries: Context.get(context, Registries),
      discovery: Context.get(context, ServiceDiscovery)
    }
  })

/** The same as a layer, for tests of what is built upon the capabilities. */
export const layerControlPlane = ({
  clusters = [],
  configCluster = "Kubernetes",
  mesh = {},
  registries = Layer.mergeAll(layerKubeRegistries, layerServiceEntryRegistry)
}: ControlPlaneOptions = {}) =>
  registries.pipe(
    Layer.provideMerge(layerServiceDiscovery),
    Layer.provideMerge(
      Layer.mergeAll(
        layerMemorySource({ configCluster, clusters }),
        layerMesh({ ...defaultMeshConfig, ...mesh }),
        layerRegistries,
        layerWorkloadExchange
      )
    ),
    Layer.provideMerge(DiscoveryGraph.layer)
  )

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
