import type { Collection, Graph } from "@istiod-lite/collections"
import { type Kind, objectKey, type Objects, type ObjectStore } from "@istiod-lite/model"
import { Effect } from "effect"
import type { Fork } from "./fork.ts"
import type { Listed, ObjectWrite } from "./kind-feed.ts"
import { fill, type KindChange, missingFrom } from "./pending-changes.ts"
import { targetedPods } from "./targeted-pods.ts"

/** Where a cluster's objects are written. */
export interface ClusterWriterContext {
  readonly cluster: string
  readonly graph: Graph
  readonly store: ObjectStore
  readonly fork: Fork
  /** whether nothing is known to be missing of what slices say */
  readonly slicesAreCurrent: () => boolean
}

/** How much longer than the absence of pods slices may take to tell of it. */
const lingering = "5 seconds"

const isOfPods = ({ kind }: KindChange): boolean => kind === "Pod"

/** Writes what was read of a cluster, each time as one transaction. */
export class ClusterWriter {
  readonly #context: ClusterWriterContext
  /** pods that a list did not have, and that slices name all the same */
  #lingering = new Set<string>()
  #isEnded = false

  constructor(context: ClusterWriterContext) {
    this.#context = context
  }

  /** Nothing is written any more. */
  end(): void {
    this.#isEnded = true
  }

  /** How many objects of a kind there are, however they came to be there; undefined before the first state. */
  sizeOf(kind: Kind): number | undefined {
    const { cluster, store } = this.#context
    return store.clusters.get(cluster)?.synced() === true ? this.#collectionOf(kind).size : undefined
  }

  /** Puts the first complete state in the place of whatever there is of the cluster (S-42). */
  writeFirst(changes: ReadonlyArray<KindChange>): void {
    if (this.#isEnded) return
    const { cluster, graph, store } = this.#context
    const next = store.successor(cluster)
    graph.transaction(() => {
      fill(next, changes)
      next.takeOver()
    })
  }

  write(changes: ReadonlyArray<KindChange>): void {
    if (this.#isEnded || changes.length === 0) return
    // Which pods are gone depends on what slices say.
    const podsLast = [...changes.filter((change) => !isOfPods(change)), ...changes.filter(isOfPods)]
    this.#context.graph.transaction(() => {
      for (const change of podsLast) {
        if ("listed" in change) this.#replace(change.kind, change.listed)
        else for (const write of change.writes) this.#write(write)
      }
    })
  }

  #write(write: ObjectWrite): void {
    const { cluster, store } = this.#context
    if (write.write === "delete") return store.delete(cluster, write.identity)
    if (write.typed.kind === "Pod") this.#lingering.delete(objectKey(write.typed.object.meta))
    store.put(cluster, write.typed, write.version)
  }

  /** Writes the difference between a list and what there is. */
  #replace(kind: Kind, listed: Listed): void {
    const collection = this.#collectionOf(kind)
    const missing = missingFrom(listed, collection.keys())
    this.#delete(kind, kind === "Pod" ? this.#withoutLingering(missing) : missing)
    for (const { typed, version } of listed.objects) {
      const { resourceVersion, uid } = collection.get(objectKey(typed.object.meta))?.meta ?? {}
      const isSame = version !== "" && version === resourceVersion && uid === typed.object.meta.uid
      if (!isSame) this.#context.store.put(this.#context.cluster, typed, version)
    }
  }

  #delete(kind: Kind, keys: Iterable<string>): void {
    const { cluster, store } = this.#context
    for (const key of keys) {
      const [namespace = "", name = ""] = key.split("/")
      store.delete(cluster, { kind, namespace, name })
    }
  }

  /** That a list lacks a pod is no deletion that was observed (D-13): slices that name it are waited for. */
  #withoutLingering(missing: ReadonlyArray<string>): ReadonlyArray<string> {
    this.#lingering = new Set()
    if (missing.length === 0) return missing
    const targeted = targetedPods(this.#collectionOf("EndpointSlice").values())
    this.#lingering = new Set(missing.filter((key) => targeted.has(key)))
    if (this.#lingering.size > 0) this.#endLingering(this.#lingering)
    return missing.filter((key) => !this.#lingering.has(key))
  }

  /** The list was true: pods that slices go on to name are gone all the same. */
  #endLingering(pods: ReadonlySet<string>): void {
    const { fork, graph, slicesAreCurrent } = this.#context
    const end = Effect.sync(() => {
      if (this.#isEnded || this.#lingering !== pods) return
      if (!slicesAreCurrent()) return this.#endLingering(pods)
      this.#lingering = new Set()
      graph.transaction(() => this.#delete("Pod", pods))
    })
    fork(Effect.andThen(Effect.sleep(lingering), end))
  }

  #collectionOf<K extends Kind>(kind: K): Collection<Objects[K]> {
    const { cluster, store } = this.#context
    const collection = store.collectionOf(cluster, kind)
    if (collection === undefined) throw new Error(`cluster ${cluster} is not in the store`)
    return collection
  }
}
