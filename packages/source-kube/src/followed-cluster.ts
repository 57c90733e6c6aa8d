import type { Graph } from "@istiod-lite/collections"
import {
  type ClusterStatus,
  type EndpointSlice,
  isIstioKind,
  type Kind,
  type KindState,
  type ObjectFault,
  type ObjectStore
} from "@istiod-lite/model"
import { Effect } from "effect"
import { AtMost } from "./at-most.ts"
import { ClusterWriter } from "./cluster-writer.ts"
import type { Fork } from "./fork.ts"
import type { KindTarget, Listed, ObjectWrite } from "./kind-feed.ts"
import { KindStatuses, stateAfter } from "./kind-statuses.ts"
import type { KubeError } from "./kube-error.ts"
import { resourceName, resourceOf } from "./kube-resource.ts"
import { type KindChange, PendingChanges } from "./pending-changes.ts"

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
  /** Whether the first complete state may be applied; when that changes, `goOn` is called. */
  readonly mayApply: () => boolean
  /** A kind that had failed is back: the others may well be, too. */
  readonly onRevival: () => void
  readonly onSynced: () => void
  readonly onChange: () => void
}

/** So many attempts in a row have failed before a cluster counts as known only as it was. */
const failuresUntilStale = 2
/** So many looks in a row have found no such kind before its objects are taken to be gone with its CRD. */
const looksUntilGone = 3
/**
 * Kinds that come back together tell what has changed with less than `quiet` between. Those that go on to fail are
 * waited for until `failing`, lists that are under way until `listing`. Milliseconds.
 */
const together = { quiet: 100, failing: 5000, listing: 10_000 }

/** Slices name pods and belong to services, pods run on nodes; each of Istio's objects tells all about itself. */
const belongsTogether = (kind: Kind): boolean => !isIstioKind(kind)

/**
 * Makes one state of what is read of the kinds of a cluster. Its first complete state is one transaction; so is what has
 * changed of Kubernetes' kinds while one of them could not be read, for slices name pods: either of them without the
 * other would be a state that never was, with endpoints missing. Otherwise what comes is applied at once.
 */
export class FollowedCluster implements KindTarget {
  readonly #context: FollowedClusterContext
  readonly #statuses: KindStatuses
  readonly #writer: ClusterWriter
  readonly #pending = new PendingChanges()
  readonly #absentLooks = new Map<Kind, number>()
  /** `first`: before the first complete state; `gathering`: kinds come back; `live`: changes are applied as they come */
  #phase: "first" | "gathering" | "live" | "ended" = "first"
  /** kinds of which a list has begun */
  readonly #listing = new Set<Kind>()
  #gatheringSince = 0
  #isStirred = false
  /** The others are told of a kind that is back: it may fail again at once, and they with it. */
  readonly #revivals = new AtMost(3, 30_000)
  /** whether it was told that the cluster cannot be read */
  #isOutageTold = false

  constructor(context: FollowedClusterContext) {
    this.#context = context
    this.#statuses = new KindStatuses(context.kinds, context.now)
    const slicesAreCurrent = (): boolean => this.#statuses.stateOf("EndpointSlice") !== "failing"
    this.#writer = new ClusterWriter({ ...context, slicesAreCurrent })
  }

  slice(key: string): EndpointSlice | undefined {
    const { cluster, store } = this.#context
    return store.collectionOf(cluster, "EndpointSlice")?.get(key)
  }

  /** Nothing is written any more. */
  end(): void {
    this.#phase = "ended"
    this.#writer.end()
  }

  /** Something that is waited for may be there now. */
  goOn(): void {
    this.#isStirred = true
    if (this.#phase !== "first" || !this.#context.mayApply() || !this.#isComplete()) return
    this.#phase = "live"
    this.#writer.writeFirst(this.#pending.take())
    this.#context.onSynced()
    this.#context.onChange()
  }

  listing(kind: Kind): void {
    this.#listing.add(kind)
    // Whether a kind is there, or permitted by now, is asked again and again: nobody waits for that.
    if (this.#statuses.stateOf(kind) === "synced") this.#gather(kind)
  }

  listed(kind: Kind, listed: Listed): void {
    this.#listing.delete(kind)
    this.#takeIn({ kind, listed })
  }

  changed(kind: Kind, writes: ReadonlyArray<ObjectWrite>): void {
    this.#takeIn({ kind, writes })
  }

  healthy(kind: Kind): void {
    this.#isBack(kind)
    this.goOn()
    this.#freshen()
  }

  failed(kind: Kind, error: KubeError, failures: number): void {
    if (this.#phase === "ended") return
    this.#listing.delete(kind)
    const { cluster, now, store } = this.#context
    const { problem, state } = stateAfter(kind, error)
    this.#note(kind, state, problem)
    if (state === "absent") this.#noteAbsence(kind)
    const isLeftBehind =
      state === "forbidden" ? this.#writer.sizeOf(kind) !== 0 : failures >= failuresUntilStale
    // Before the first state, what is there is another connection's.
    if (this.#phase !== "first" && state !== "absent" && isLeftBehind) {
      store.markStale(cluster, { since: now(), because: error.message })
    }
    // Connections get cut now and then: that is no news while the next attempt succeeds.
    if (state === "failing" && failures >= failuresUntilStale) this.#tellOutage(kind, problem)
    this.goOn()
  }

  faulty(faults: ReadonlyArray<ObjectFault>): void {
    const { cluster, fork } = this.#context
    for (const { object, path, reason, remedy, severity } of faults) {
      if (severity === "info") continue
      const text = `${object} of cluster ${cluster}: ${path}: ${reason}${remedy && `; ${remedy}`}`
      fork(Effect.logWarning(text))
    }
  }

  status(): ClusterStatus {
    const { cluster, server } = this.#context
    const kinds = this.#statuses.all()
    const failing = this.#statuses.find("failing")
    const state = this.#phase === "first" ? "syncing" : failing === undefined ? "synced" : "stale"
    const error = (failing ?? this.#statuses.find("forbidden"))?.problem
    return { cluster, server, state, error, since: Math.max(...kinds.map(({ since }) => since)), kinds }
  }

  #takeIn(change: KindChange): void {
    if (this.#phase === "ended") return
    this.#isBack(change.kind)
    const isForItself = this.#phase === "gathering" && !belongsTogether(change.kind)
    if (this.#phase === "live" || isForItself) return this.#writer.write([change])
    this.#pending.add(change)
    this.goOn()
  }

  /** The kind can be read. If it could not be, what has changed meanwhile belongs to what the others tell. */
  #isBack(kind: Kind): void {
    if (this.#phase === "ended") return
    this.#absentLooks.delete(kind)
    if (this.#note(kind, "synced") !== "failing") return
    const { now, onRevival } = this.#context
    if (this.#revivals.allows(now())) onRevival()
    this.#gather(kind)
  }

  #gather(first: Kind): void {
    if (this.#phase !== "live" || !belongsTogether(first)) return
    this.#phase = "gathering"
    this.#gatheringSince = this.#context.now()
    const look = Effect.sync(() => this.#mayStopGathering())
    this.#context.fork(Effect.repeat(Effect.delay(look, together.quiet), { until: (isOver) => isOver }))
  }

  /** Gives whether it did. */
  #mayStopGathering(): boolean {
    if (this.#phase !== "gathering") return true
    const time = this.#context.now() - this.#gatheringSince
    const isStirred = this.#isStirred
    this.#isStirred = false
    const awaited = this.#context.kinds.filter(belongsTogether)
    const fails = awaited.some((kind) => this.#statuses.stateOf(kind) === "failing")
    if ((isStirred || fails) && time < together.failing) return false
    if (awaited.some((kind) => this.#listing.has(kind)) && time < together.listing) return false
    this.#phase = "live"
    this.#writer.write(this.#pending.take())
    this.#freshen()
    return true
  }

  #isComplete(): boolean {
    return this.#statuses.all().every(({ kind, state }) => {
      if (this.#listing.has(kind)) return false
      if (this.#pending.hasList(kind) || state === "absent") return true
      // What new credentials may not read is no reason to give up what was read with the old ones.
      return state === "forbidden" && !this.#writer.sizeOf(kind)
    })
  }

  #freshen(): void {
    if (this.#statuses.find("failing") !== undefined) return
    const { cluster, fork, store } = this.#context
    if (this.#isOutageTold) fork(Effect.logInfo(`Cluster ${cluster}: everything is followed again`))
    this.#isOutageTold = false
    if (this.#phase === "live" && this.#statuses.find("forbidden") === undefined) store.markFresh(cluster)
  }

  #tellOutage(kind: Kind, problem: string): void {
    if (this.#isOutageTold) return
    this.#isOutageTold = true
    const { cluster, fork } = this.#context
    const effect =
      this.#phase === "first"
        ? "The cluster is not complete without it."
        : "What was read before counts until it can be read again."
    fork(Effect.logWarning(`Cluster ${cluster}: ${kind} cannot be read: ${problem} ${effect}`))
  }

  /** A CRD that is deleted takes its objects along; a server that is about to begin may only seem not to have it. */
  #noteAbsence(kind: Kind): void {
    const looks = (this.#absentLooks.get(kind) ?? 0) + 1
    this.#absentLooks.set(kind, looks)
    if (this.#phase !== "live" || looks !== looksUntilGone) return
    this.#writer.write([{ kind, listed: { objects: [], unusable: new Set() } }])
  }

  /** Notes and tells a state; gives the one before if it was another. */
  #note(kind: Kind, state: KindState, problem?: string): KindState | undefined {
    const before = this.#statuses.note(kind, state, problem)
    if (before === undefined) return undefined
    if (before.problem !== problem) this.#tell(kind, state, problem)
    this.#context.onChange()
    return before.state
  }

  #tell(kind: Kind, state: KindState, problem: string | undefined): void {
    const { cluster, fork } = this.#context
    if (state === "forbidden") fork(Effect.logWarning(`Cluster ${cluster}: ${problem}`))
    else if (state === "absent") fork(Effect.logInfo(`Cluster ${cluster}: ${problem}`))
    else
      fork(
        Effect.logDebug(`Cluster ${cluster}: ${problem ?? `${resourceName(resourceOf(kind))} is followed`}`)
      )
  }
}
