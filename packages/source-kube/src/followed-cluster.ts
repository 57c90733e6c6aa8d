import type { Graph } from "@istiod-lite/collections"
import {
  type Collections,
  type Kind,
  type ObjectFault,
  objectKey,
  type Objects,
  type ObjectStore
} from "@istiod-lite/model"
import { Effect } from "effect"
import type { ClusterStatus, KindState } from "./cluster-status.ts"
import type { KindTarget, Listed, ObjectWrite } from "./kind-feed.ts"
import { KindStatuses, stateAfter } from "./kind-statuses.ts"
import type { KubeError } from "./kube-error.ts"
import { resourceName, resourceOf } from "./kube-resource.ts"
import { awaitLull, type Fork, type Lull } from "./lull.ts"
import { fill, type KindChange, missingFrom, PendingChanges } from "./pending-changes.ts"
import { targetedPods } from "./targeted-pods.ts"

/** What a followed cluster works with. */
export interface FollowedClusterContext {
  readonly cluster: string
  readonly server: string
  readonly kinds: ReadonlyArray<Kind>
  readonly graph: Graph
  readonly store: ObjectStore
  readonly fork: Fork
  /** epoch milliseconds */
  readonly now: () => number
  /** A kind that had failed is back: the others may well be, too. */
  readonly onRevival: () => void
  readonly onSynced: () => void
  readonly onChange: () => void
}

/** So many attempts in a row have failed before a cluster counts as known only as it was. */
const failuresUntilStale = 2
/** So many looks in a row have found no such kind before its objects are taken to be gone with its CRD. */
const looksUntilGone = 3
/** Kinds that come back together are back within this; at the latest after the second, what is there is applied. */
const together = { quiet: "100 millis", atMost: "2 seconds" } as const
/** How much longer than their pods' absence slices may take to tell of it. */
const lingering = "5 seconds"

/**
 * Makes one state of what is read of the kinds of a cluster. Its first complete state is one transaction; so is what has
 * changed while nothing could be read, for slices name pods: either of them without the other would be a state that
 * never was, with endpoints missing. Otherwise what comes is applied at once.
 */
export class FollowedCluster implements KindTarget {
  readonly #context: FollowedClusterContext
  readonly #statuses: KindStatuses
  readonly #pending = new PendingChanges()
  readonly #absentLooks = new Map<Kind, number>()
  /** `first`: before the first complete state; `gathering`: kinds come back; `live`: changes are applied as they come */
  #phase: "first" | "gathering" | "live" | "ended" = "first"
  #lull: Lull | undefined
  /** pods that a list did not have, and that slices name all the same (D-13) */
  #lingeringPods: ReadonlySet<string> = new Set()

  constructor(context: FollowedClusterContext) {
    this.#context = context
    this.#statuses = new KindStatuses(context.kinds, context.now)
  }

  /** Nothing is written any more. */
  end(): void {
    this.#phase = "ended"
  }

  listed(kind: Kind, listed: Listed): void {
    this.#takeIn({ kind, listed })
  }

  changed(kind: Kind, writes: ReadonlyArray<ObjectWrite>): void {
    this.#takeIn({ kind, writes })
  }

  healthy(kind: Kind): void {
    this.#isBack(kind)
    this.#goOn()
    this.#freshen()
  }

  failed(kind: Kind, error: KubeError, failures: number): void {
    if (this.#phase === "ended") return
    const { cluster, now, store } = this.#context
    const { problem, state } = stateAfter(kind, error)
    const wasRead = this.#phase !== "first" && this.#statuses.stateOf(kind) !== "absent"
    this.#note(kind, state, problem)
    if (state === "absent") this.#noteAbsence(kind)
    else if (state === "forbidden" ? wasRead : failures >= failuresUntilStale) {
      store.markStale(cluster, { since: now(), because: problem })
    }
    this.#goOn()
  }

  faulty(faults: ReadonlyArray<ObjectFault>): void {
    const { cluster } = this.#context
    for (const { object, path, reason, remedy, severity } of faults) {
      if (severity === "info") continue
      const text = `${object} of cluster ${cluster}: ${path}: ${reason}${remedy && `; ${remedy}`}`
      this.#context.fork(Effect.logWarning(text))
    }
  }

  status(): ClusterStatus {
    const { cluster, server } = this.#context
    const kinds = this.#statuses.all()
    const failing = this.#statuses.find("failing") ?? this.#statuses.find("forbidden")
    const isStale = this.#statuses.find("failing") !== undefined
    const state = this.#phase === "first" ? "syncing" : isStale ? "stale" : "synced"
    const since = Math.max(...kinds.map((kind) => kind.since))
    return { cluster, server, state, error: failing?.problem, since, kinds }
  }

  #takeIn(change: KindChange): void {
    if (this.#phase === "ended") return
    this.#isBack(change.kind)
    if (this.#phase === "live") return this.#apply([change])
    this.#pending.add(change)
    this.#goOn()
  }

  /** The kind can be read. If it could not be, what has changed meanwhile belongs to what the others tell. */
  #isBack(kind: Kind): void {
    if (this.#phase === "ended") return
    this.#absentLooks.delete(kind)
    if (this.#note(kind, "synced") !== "failing") return
    this.#context.onRevival()
    if (this.#phase !== "live") return
    this.#phase = "gathering"
    this.#lull = awaitLull(this.#context.fork, together, (isLast) => {
      if (this.#phase !== "gathering") return false
      if (!isLast && this.#statuses.find("failing") !== undefined) return true
      this.#phase = "live"
      this.#lull = undefined
      this.#apply(this.#pending.take())
      this.#freshen()
      return false
    })
  }

  #goOn(): void {
    if (this.#phase === "gathering") this.#lull?.stir()
    if (this.#phase === "first" && this.#isComplete()) this.#applyFirst()
  }

  #freshen(): void {
    if (this.#phase !== "live" || this.#statuses.find("failing") !== undefined) return
    this.#context.store.markFresh(this.#context.cluster)
  }

  #isComplete(): boolean {
    return this.#statuses.all().every(({ kind, state }) => {
      if (this.#pending.hasList(kind) || state === "absent") return true
      // What new credentials may not read is no reason to give up what was read with the old ones.
      return state === "forbidden" && !this.#isHeld(kind)
    })
  }

  #isHeld(kind: Kind): boolean {
    const { cluster, store } = this.#context
    return store.clusters.get(cluster)?.synced() === true && this.#collectionOf(kind).size > 0
  }

  #applyFirst(): void {
    this.#phase = "live"
    const { cluster, graph, onChange, onSynced, store } = this.#context
    const next = store.successor(cluster)
    graph.transaction(() => {
      fill(next, this.#pending.take())
      next.takeOver()
    })
    onSynced()
    onChange()
  }

  #apply(changes: ReadonlyArray<KindChange>): void {
    if (changes.length === 0) return
    // Which pods are gone depends on what slices say.
    const podsLast = [
      ...changes.filter(({ kind }) => kind !== "Pod"),
      ...changes.filter(({ kind }) => kind === "Pod")
    ]
    this.#context.graph.transaction(() => {
      for (const change of podsLast) {
        if ("listed" in change) this.#replace(change.kind, change.listed)
        else this.#write(change.writes)
      }
    })
  }

  #write(writes: ReadonlyArray<ObjectWrite>): void {
    const { cluster, store } = this.#context
    for (const write of writes) {
      if (write.write === "put") store.put(cluster, write.typed, write.version)
      else store.delete(cluster, write.identity)
    }
  }

  /** Writes the difference between a list and what there is. */
  #replace(kind: Kind, listed: Listed): void {
    const { cluster, store } = this.#context
    const collection = this.#collectionOf(kind)
    const missing = missingFrom(listed, collection.keys())
    this.#delete(kind, kind === "Pod" ? this.#withoutLingering(missing) : missing)
    for (const { typed, version } of listed.objects) {
      const { resourceVersion, uid } = collection.get(objectKey(typed.object.meta))?.meta ?? {}
      const isSame = version !== "" && version === resourceVersion && uid === typed.object.meta.uid
      if (!isSame) store.put(cluster, typed, version)
    }
  }

  #delete(kind: Kind, keys: Iterable<string>): void {
    const { cluster, store } = this.#context
    for (const key of keys) {
      const [namespace = "", name = ""] = key.split("/")
      store.delete(cluster, { kind, namespace, name })
    }
  }

  /** That a list lacks a pod is no deletion that was observed (D-13): slices that name it are asked first. */
  #withoutLingering(missing: ReadonlyArray<string>): ReadonlyArray<string> {
    if (missing.length === 0) return missing
    const targeted = targetedPods(this.#collectionOf("EndpointSlice").values())
    this.#lingeringPods = new Set(missing.filter((key) => targeted.has(key)))
    if (this.#lingeringPods.size > 0) this.#endLingering(this.#lingeringPods)
    return missing.filter((key) => !targeted.has(key))
  }
