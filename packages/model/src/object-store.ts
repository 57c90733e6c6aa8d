import type { Collection, Graph, Source } from "@istiod-lite/collections"
import type { ClusterObjects, Collections } from "./capabilities.ts"
import { discoveredObjects } from "./discovery-selectors.ts"
import type { MeshConfigValue } from "./mesh-config.ts"
import type { ObjectIdentity, TypedObject } from "./decode/decode-object.ts"
import { makeIstioSources, makeKubeSources, type ObjectSources } from "./object-sources.ts"
import { isIstioKind, isKind, type IstioObjects, type Kind, type Objects } from "./objects/kinds.ts"
import type { Namespace } from "./objects/kube.ts"
import { objectKey } from "./objects/meta.ts"
import type { Staleness } from "./staleness.ts"

/** The next state of a cluster, gathered aside while the present one goes on to be served. */
export interface ClusterSuccessor {
  readonly put: (object: TypedObject, resourceVersion?: string) => void
  readonly delete: (identity: ObjectIdentity) => void
  /** Puts it in the place of the present state, in one transaction. From then on the store itself is written to. */
  readonly takeOver: () => void
  /** Forgets it; nothing happens once it has taken over. */
  readonly abandon: () => void
}

interface Cluster {
  readonly view: ClusterObjects
  /** the configuration's sources among them, which all clusters share */
  readonly sources: ObjectSources<Objects>
  readonly dispose: () => void
  synced: boolean
  stale: Staleness | undefined
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
  /** those of the configuration cluster, whatever takes its place */
  readonly #namespaces: Source<Namespace>
  readonly #members = new Map<string, Cluster>()

  /** @param mesh whose discovery selectors decide which Istio objects count; left out: all of them do */
  constructor(graph: Graph, configCluster: string, mesh?: Collection<MeshConfigValue>) {
    this.#graph = graph
    this.configCluster = configCluster
    this.clusters = this.#clusters = graph.source<ClusterObjects>("clusters")
    this.#config = makeIstioSources(graph)
    this.#namespaces = graph.source<Namespace>("discovered/Namespace")
    const scope = mesh && { mesh, namespaces: this.#namespaces }
    this.config = scope === undefined ? this.#config : discoveredObjects(graph, this.#config, scope)
  }

  /** Whether every cluster that is there has its first complete state. */
  readonly synced = (): boolean => [...this.#members.values()].every((cluster) => cluster.synced)

  /** Makes a cluster known, without objects yet; nothing happens if it is known. */
  addCluster(id: string): void {
    this.#member(id)
  }

  /** Says that the cluster's first complete state has been written. Who listens to commits learns it. */
  markSynced(id: string): void {
    const cluster = this.#member(id)
    if (cluster.synced) return
    cluster.synced = true
    // A commit without a change, even if the state is empty: someone may wait for the last cluster.
    this.#clusters.set(id, cluster.view)
  }

  /**
   * Says that a cluster that is there cannot be read any more; its last state stays. Said again, it is since the first
   * time, because of what is said now.
   */
  markStale(id: string, { because, since }: Staleness): void {
    const cluster = this.#members.get(id)
    if (cluster !== undefined) cluster.stale = { since: cluster.stale?.since ?? since, because }
  }

  /** Says that the cluster is known as it is, again. */
  markFresh(id: string): void {
    const cluster = this.#members.get(id)
    if (cluster !== undefined) cluster.stale = undefined
  }

  /** Forgets a cluster with all its objects, its Istio objects too if it is the configuration cluster (D-7). */
  removeCluster(id: string): void {
    const cluster = this.#members.get(id)
    if (cluster === undefined) return
    this.#disposeAfterCommit(cluster)
    this.#graph.transaction(() => {
      for (const [kind, source] of Object.entries(cluster.sources)) {
        if (!(kind in this.#config) || id === this.configCluster) source.replace([])
      }
      if (id === this.configCluster) this.#namespaces.replace([])
      this.#clusters.delete(id)
      this.#members.delete(id)
    })
  }

  /**
   * Begins the next state of a cluster, such as that of a new connection to it: nobody sees it before it takes over,
   * so what clients have of the cluster never goes missing meanwhile (S-42).
   */
  successor(id: string): ClusterSuccessor {
    const next = this.#makeCluster(id)
    const config = this.#graph.scope(() => makeIstioSources(this.#graph))
    const sources: ObjectSources<Objects> = { ...next.sources, ...config.value }
    let ended = false
    const counts = (kind: Kind): boolean => !ended && (id === this.configCluster || !isIstioKind(kind))
    const end = (finish: () => void): void => {
      if (ended) return
      ended = true
      finish()
      config.dispose()
    }
    return {
      put: ({ kind, object }, resourceVersion) => {
        if (counts(kind)) setIn(sources, kind, object, resourceVersion)
      },
      delete: (identity) => {
        if (counts(identity.kind)) sources[identity.kind].delete(objectKey(identity))
      },
      takeOver: () => end(() => this.#takeOver(id, next, config.value)),
      abandon: () => end(next.dispose)
    }
  }

  /**
   * Adds or replaces an object, under a resource version of the source if it has its own. Istio objects of other
   * clusters than the configuration cluster do not count.
   */
  put(cluster: string, { kind, object }: TypedObject, resourceVersion?: string): void {
    const counts = cluster === this.configCluster || !isIstioKind(kind)
    if (!counts) return
    this.#graph.transaction(() => {
      setIn(this.#member(cluster).sources, kind, object, resourceVersion)
      if (kind === "Namespace") this.#mirrorNamespace(cluster, objectKey(object.meta))
    })
  }

  delete(cluster: string, identity: ObjectIdentity): void {
    const counts = cluster === this.configCluster || !isIstioKind(identity.kind)
    if (!counts) return
    this.#graph.transaction(() => {
      this.#members.get(cluster)?.sources[identity.kind].delete(objectKey(identity))
      if (identity.kind === "Namespace") this.#mirrorNamespace(cluster, objectKey(identity))
    })
  }

  /** All objects of a kind that were put, whether they count or not; undefined if the cluster is not there. */
  collectionOf<K extends Kind>(cluster: string, kind: K): Collection<Objects[K]> | undefined {
    const sources: Collections<Objects> | undefined = this.#members.get(cluster)?.sources
    return sources?.[kind]
  }

  #mirrorNamespace(cluster: string, key: string): void {
    if (cluster !== this.configCluster) return
    const namespace = this.#members.get(cluster)?.sources.Namespace.get(key)
    if (namespace === undefined) this.#namespaces.delete(key)
    else this.#namespaces.set(key, namespace)
  }

  #takeOver(id: string, next: Cluster, config: ObjectSources<IstioObjects>): void {
    const last = this.#members.get(id)
    if (last !== undefined) this.#disposeAfterCommit(last)
    next.synced = true
    this.#graph.transaction(() => {
      if (id === this.configCluster) {
        replaceAll(this.#config, config)
        this.#namespaces.replace(next.view.objects.Namespace.entries())
      }
      this.#members.set(id, next)
      this.#clusters.set(id, next.view)
    })
  }

  #member(id: string): Cluster {
    const known = this.#members.get(id)
    if (known !== undefined) return known
    const cluster = this.#makeCluster(id)
    this.#members.set(id, cluster)
    this.#clusters.set(id, cluster.view)
    return cluster
  }

  #makeCluster(id: string): Cluster {
    const { dispose, value: objects } = this.#graph.scope(() => makeKubeSources(this.#graph, id))
    const view: ClusterObjects = {
      cluster: id,
      objects,
      synced: () => cluster.synced,
      stale: () => cluster.stale
    }
    const sources = { ...objects, ...this.#config }
    const cluster: Cluster = { view, sources, dispose, synced: false, stale: undefined }
    return cluster
  }

  /** When the coming commit is published, registries have let go of the cluster's collections. */
  #disposeAfterCommit(cluster: Cluster): void {
    const unsubscribe = this.#graph.onCommit(() => {
      unsubscribe()
      cluster.dispose()
    })
  }
}

const setIn = (
  sources: { readonly [K in Kind]: Pick<Source<Objects[K]>, "set"> },
  kind: Kind,
  object: Objects[Kind],
  resourceVersion: string | undefined
): void => {
  const into: Pick<Source<Objects[Kind]>, "set"> = sources[kind]
  into.set(
    objectKey(object.meta),
    resourceVersion === undefined ? object : withVersion(object, resourceVersion)
  )
}

/** Makes the content of each collection that of the one of the same kind. */
const replaceAll = (into: ObjectSources<IstioObjects>, from: ObjectSources<IstioObjects>): void => {
  for (const kind of Object.keys(into).filter(isIstioKindName)) {
    const target: Pick<Source<IstioObjects[keyof IstioObjects]>, "replace"> = into[kind]
    target.replace(from[kind].entries())
  }
}

const isIstioKindName = (text: string): text is keyof IstioObjects => isKind(text) && isIstioKind(text)

const withVersion = <O extends Objects[Kind]>(object: O, resourceVersion: string): O => ({
  ...object,
  meta: { ...object.meta, resourceVersion }
})
