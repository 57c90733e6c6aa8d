import type { Collection, Graph, Source } from "@istiod-lite/collections"
import type { ClusterObjects, Collections } from "./capabilities.ts"
import type { ObjectIdentity, TypedObject } from "./decode/decode-object.ts"
import { makeIstioSources, makeKubeSources, type ObjectSources } from "./object-sources.ts"
import { isIstioKind, type IstioObjects, type Kind, type Objects } from "./objects/kinds.ts"
import { objectKey } from "./objects/meta.ts"

interface Cluster {
  /** the configuration's sources among them, which all clusters share */
  readonly sources: ObjectSources<Objects>
  readonly dispose: () => void
  synced: boolean
}

/**
 * The writable side of an `ObjectSource`: what API servers, files and tests fill in the same way. Several writes
 * that belong together belong in one `graph.transaction`.
 */
export class ObjectStore {
  readonly configCluster: string
  readonly clusters: Collection<ClusterObjects>
  readonly config: Collections<IstioObjects>
  readonly #graph: Graph
  readonly #clusters: Source<ClusterObjects>
  readonly #config: ObjectSources<IstioObjects>
  readonly #members = new Map<string, Cluster>()

  constructor(graph: Graph, configCluster: string) {
    this.#graph = graph
    this.configCluster = configCluster
    this.clusters = this.#clusters = graph.source<ClusterObjects>("clusters")
    this.config = this.#config = makeIstioSources(graph)
  }

  /** Whether every cluster that is there has its first complete state. */
  readonly synced = (): boolean => [...this.#members.values()].every((cluster) => cluster.synced)

  /** Makes a cluster known, without objects yet; nothing happens if it is known. */
  addCluster(id: string): void {
    this.#member(id)
  }

  /** Says that the cluster's first complete state has been written. */
  markSynced(id: string): void {
    this.#member(id).synced = true
  }

  /** Forgets a cluster with all its objects, its Istio objects too if it is the configuration cluster (D-7). */
  removeCluster(id: string): void {
    const cluster = this.#members.get(id)
    if (cluster === undefined) return
    this.#graph.transaction(() => {
      for (const [kind, source] of Object.entries(cluster.sources)) {
        if (!(kind in this.#config) || id === this.configCluster) source.replace([])
      }
      this.#clusters.delete(id)
      this.#members.delete(id)
    })
    // After the transaction, so that registries have let go of the collections when these go.
    cluster.dispose()
  }

  /**
   * Adds or replaces an object, under a resource version of the source if it has its own. Istio objects of other
   * clusters than the configuration cluster do not count.
   */
  put(cluster: string, { kind, object }: TypedObject, resourceVersion?: string): void {
    const versioned = resourceVersion === undefined ? object : withVersion(object, resourceVersion)
    this.#source(cluster, kind)?.set(objectKey(object.meta), versioned)
  }

  delete(cluster: string, identity: ObjectIdentity): void {
    if (this.#members.has(cluster)) this.#source(cluster, identity.kind)?.delete(objectKey(identity))
  }

  #source<K extends Kind>(cluster: string, kind: K): Source<Objects[K]> | undefined {
    const counts = cluster === this.configCluster || !isIstioKind(kind)
    return counts ? this.#member(cluster).sources[kind] : undefined
  }

  #member(id: string): Cluster {
    const known = this.#members.get(id)
    if (known !== undefined) return known
    const scope = this.#graph.scope(() => makeKubeSources(this.#graph, id))
    const objects = scope.value
    const view: ClusterObjects = { cluster: id, objects, synced: () => cluster.synced }
    const cluster: Cluster = {
      sources: { ...objects, ...this.#config },
      dispose: () => scope.dispose(),
      synced: false
    }
    this.#members.set(id, cluster)
    this.#clusters.set(id, view)
    return cluster
  }
}

const withVersion = <O extends Objects[Kind]>(object: O, resourceVersion: string): O => ({
  ...object,
  meta: { ...object.meta, resourceVersion }
})
