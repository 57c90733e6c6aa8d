import type { Collection, Graph } from "@istiod-lite/collections"
import {
  decodeObject,
  DiscoveryGraph,
  formatFault,
  identifyObject,
  MeshConfig,
  type MeshConfigValue,
  type ObjectIdentity,
  ObjectSource,
  ObjectStore,
  objectKey
} from "@istiod-lite/model"
import { Context, Effect, Layer } from "effect"

/** The clusters of a memory source. */
export interface MemorySourceOptions {
  /** Default: `Kubernetes`. */
  readonly configCluster?: string
  /** Clusters that are there from the start, besides the configuration cluster. */
  readonly clusters?: ReadonlyArray<string>
  /** Whether clusters count as read completely as soon as they are there. Default: true. */
  readonly synced?: boolean
}

/** Kubernetes and Istio objects driven by code, in the form that manifests have. */
export class MemoryObjects {
  readonly store: ObjectStore
  readonly #graph: Graph
  /** what was applied last, by cluster, kind and key: applying it again is no new version (S-15) */
  readonly #applied = new Map<string, string>()
  readonly #synced: boolean
  #version = 0

  /** @param mesh whose discovery selectors decide which Istio objects count; left out: all of them do */
  constructor(
    graph: Graph,
    { clusters = [], configCluster = "Kubernetes", synced = true }: MemorySourceOptions = {},
    mesh?: Collection<MeshConfigValue>
  ) {
    this.#graph = graph
    this.#synced = synced
    this.store = new ObjectStore(graph, configCluster, mesh)
    for (const cluster of [configCluster, ...clusters]) this.#welcome(cluster)
  }

  /**
   * Adds or replaces an object of a cluster, which appears if it is new. Kinds that discovery does not use, and
   * Istio objects outside the configuration cluster, are passed over.
   * Throws when the object has faults: a test's own objects should be right.
   */
  apply(cluster: string, raw: unknown): void {
    const version = String(this.#version + 1).padStart(16, "0")
    const decoded = decodeObject(raw, { resourceVersion: version })
    if (decoded.outcome === "rejected") throw new Error(decoded.faults.map(formatFault).join("\n"))
    if (decoded.outcome === "ignored") return
    const key = appliedKey(cluster, { kind: decoded.kind, ...decoded.object.meta })
    const text = JSON.stringify(raw)
    if (this.#applied.get(key) === text) return
    this.#applied.set(key, text)
    this.#version++
    this.#graph.transaction(() => {
      this.#welcome(cluster)
      this.store.put(cluster, decoded)
    })
  }

  /** Deletes the object that `raw` names by kind, namespace and name; its other fields do not matter. */
  delete(cluster: string, raw: unknown): void {
    const identity = identifyObject(raw)
    if (identity === undefined) return
    this.#applied.delete(appliedKey(cluster, identity))
    this.store.delete(cluster, identity)
  }

  removeCluster(cluster: string): void {
    for (const key of this.#applied.keys()) if (key.startsWith(`${cluster}|`)) this.#applied.delete(key)
    this.store.removeCluster(cluster)
  }

  /** Applies all that `run` does together. */
  transaction<A>(run: () => A): A {
    return this.#graph.transaction(run)
  }

  #welcome(cluster: string): void {
    if (this.#synced) this.store.markSynced(cluster)
    else this.store.addCluster(cluster)
  }
}

const appliedKey = (cluster: string, { kind, name, namespace }: ObjectIdentity): string =>
  `${cluster}|${kind}|${objectKey({ namespace, name })}`

/** The memory source of a composition, for those who drive it. */
export class MemorySource extends Context.Service<MemorySource, MemoryObjects>()(
  "@istiod-lite/testkit/MemorySource"
) {}

/**
 * An `ObjectSource` driven by code through `MemorySource`. As from any other source, Istio objects count as the mesh's
 * discovery selectors say.
 */
export const layerMemorySource = (
  options?: MemorySourceOptions
): Layer.Layer<ObjectSource | MemorySource, never, DiscoveryGraph | MeshConfig> =>
  Layer.effectContext(
    Effect.gen(function* () {
      const objects = new MemoryObjects(yield* DiscoveryGraph, options, yield* MeshConfig)
      return Context.make(MemorySource, objects).pipe(Context.add(ObjectSource, objects.store))
    })
  )
