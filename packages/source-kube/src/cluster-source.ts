import type { Graph } from "@istiod-lite/collections"
import {
  type Collections,
  isIstioKind,
  type Kind,
  kinds as allKinds,
  type ObjectFault,
  objectKey,
  type Objects,
  type ObjectStore
} from "@istiod-lite/model"
import { Effect, FiberSet, type Scope } from "effect"
import type { ClusterStatus, KindState, KindStatus } from "./cluster-status.ts"
import { KindFeed, type KindTarget, type Listed, type ObjectWrite } from "./kind-feed.ts"
import type { KubeClient } from "./kube-client.ts"
import type { KubeError } from "./kube-error.ts"
import { resourceName, resourceOf, resourcePath } from "./kube-resource.ts"
import { reflect, type ReflectorOptions } from "./reflector.ts"

/** Which cluster is followed, and where its objects go. */
export interface ClusterSourceOptions {
  readonly client: KubeClient
  readonly cluster: string
  readonly graph: Graph
  readonly store: ObjectStore
  /** Default: all that the cluster counts for: Istio's objects only of the configuration cluster. */
  readonly kinds?: ReadonlyArray<Kind>
  /** how each kind is read */
  readonly reflector?: Partial<
    Pick<ReflectorOptions, "backoff" | "inactivity" | "lists" | "pageSize" | "refusedPause">
  >
  /** Called when the state of a kind or of the cluster has changed. */
  readonly onChange?: () => void
  /** Called once, when the first complete state has been applied. */
  readonly onSynced?: () => void
}

/** What a followed cluster tells of itself. */
export interface ClusterSource {
  readonly status: () => ClusterStatus
  /** Nothing is written any more from now on; the scope ends what is under way. */
  readonly stop: () => void
}

/**
 * Reads the objects of a cluster and follows them for as long as the scope lives. The first complete state takes the
 * place of what the store holds of the cluster in one transaction, so a cluster that is followed anew never shows a gap
 * (S-42); from then on what comes together is one transaction.
 *
 * A kind that the server does not have, or does not permit to be read, holds nothing up.
 */
export const watchCluster = (
  options: ClusterSourceOptions
): Effect.Effect<ClusterSource, never, Scope.Scope> =>
  Effect.gen(function* () {
    const fork = yield* FiberSet.makeRuntime()
    const { client, cluster, kinds = kindsOf(options) } = options
    const following = new FollowedCluster(options, kinds, (log) => void fork(log))
    yield* Effect.forEach(
      kinds,
      (kind) => {
        const resource = resourceOf(kind)
        const feed = new KindFeed(resource, following)
        const reflected = reflect(
          { client, name: resourceName(resource), path: resourcePath(resource), ...options.reflector },
          feed
        )
        return Effect.forkScoped(
          Effect.tapCause(reflected, (cause) =>
            Effect.logError(`Cannot follow ${resourceName(resource)} of cluster ${cluster} any more`, cause)
          )
        )
      },
      { discard: true }
    )
    yield* Effect.addFinalizer(() => Effect.sync(() => following.end()))
    return { status: () => following.status(), stop: () => following.end() }
  })

const kindsOf = ({ cluster, store }: ClusterSourceOptions): ReadonlyArray<Kind> =>
  allKinds.filter((kind) => cluster === store.configCluster || !isIstioKind(kind))

/** So many attempts in a row have failed before a cluster counts as known only as it was. */
const failuresUntilStale = 2

class FollowedCluster implements KindTarget {
  readonly #options: ClusterSourceOptions
  readonly #kinds: Map<Kind, KindStatus>
  readonly #log: (effect: Effect.Effect<void>) => void
  /** lists that wait for the others; undefined once the first complete state was applied */
  #waiting: Map<Kind, Listed> | undefined = new Map()
  #ended = false

  constructor(
    options: ClusterSourceOptions,
    kinds: ReadonlyArray<Kind>,
    log: (effect: Effect.Effect<void>) => void
  ) {
    this.#options = options
    this.#log = log
    const since = Date.now()
    this.#kinds = new Map(kinds.map((kind) => [kind, { kind, state: "listing", problem: undefined, since }]))
  }

  end(): void {
    this.#ended = true
  }

  listed(kind: Kind, listed: Listed): void {
    if (this.#ended) return
    this.#note(kind, "synced", undefined)
    if (this.#waiting !== undefined) {
      this.#waiting.set(kind, listed)
      this.#applyWhenComplete()
      return
    }
    const { cluster, graph, store } = this.#options
    const keys = new Set(listed.objects.map(({ typed: { object } }) => objectKey(object.meta)))
    const gone = [...this.#collectionOf(kind).keys()].filter(
      (key) => !keys.has(key) && !listed.unusable.has(key)
    )
    graph.transaction(() => {
      for (const key of gone) {
        const [namespace = "", name = ""] = key.split("/")
        store.delete(cluster, { kind, namespace, name })
      }
      for (const { typed, version } of listed.objects) store.put(cluster, typed, version)
    })
  }

  changed(_: Kind, writes: ReadonlyArray<ObjectWrite>): void {
    if (this.#ended) return
    const { cluster, graph, store } = this.#options
    if (this.#waiting !== undefined) return this.#changeWaiting(writes)
    graph.transaction(() => {
      for (const write of writes) {
        if (write.write === "put") store.put(cluster, write.typed, write.version)
        else store.delete(cluster, write.identity)
      }
    })
  }

  faulty(faults: ReadonlyArray<ObjectFault>): void {
    const { cluster } = this.#options
    for (const { object, path, reason, remedy, severity } of faults) {
      if (severity === "info") continue
      this.#log(
        Effect.logWarning(`${object} of cluster ${cluster}: ${path}: ${reason}${remedy && `; ${remedy}`}`)
      )
    }
  }

  failed(kind: Kind, error: KubeError, failures: number): void {
    if (this.#ended) return
    const name = resourceName(resourceOf(kind))
    if (error.status === 404) {
      this.#note(kind, "absent", `The API server has no ${name}: install its CRD if it is wanted.`)
    } else if (error.status === 403) {
      const { group, plural } = resourceOf(kind)
      const rule = `apiGroups: ["${group}"], resources: ["${plural}"], verbs: ["list", "watch"]`
      this.#note(kind, "forbidden", `${error.message}. Add a rule to the role: ${rule}.`)
    } else {
      this.#note(kind, "failing", error.message)
      if (failures >= failuresUntilStale) {
        this.#options.store.markStale(this.#options.cluster, { since: Date.now(), because: error.message })
      }
    }
    this.#applyWhenComplete()
  }

  healthy(kind: Kind): void {
    if (this.#ended) return
    this.#note(kind, "synced", undefined)
    const fails = [...this.#kinds.values()].some(({ state }) => state === "failing")
    if (!fails) this.#options.store.markFresh(this.#options.cluster)
  }

  status(): ClusterStatus {
    const kinds = [...this.#kinds.values()]
    const failing = kinds.find(({ state }) => state === "failing")
    const state = this.#waiting !== undefined ? "syncing" : failing === undefined ? "synced" : "stale"
    const since = Math.max(...kinds.map((kind) => kind.since))
    const { client, cluster } = this.#options
    return { cluster, server: client.server, state, error: failing?.problem, since, kinds }
  }

  #note(kind: Kind, state: KindState, problem: string | undefined): void {
    const before = this.#kinds.get(kind)
    if (before?.state === state && before.problem === problem) return
    const since = before?.state === state ? before.since : Date.now()
    this.#kinds.set(kind, { kind, state, problem, since })
    if (before?.problem !== problem) this.#tell(kind, state, problem)
    this.#options.onChange?.()
  }

  #tell(kind: Kind, state: KindState, problem: string | undefined): void {
    const { cluster } = this.#options
    const name = resourceName(resourceOf(kind))
    if (problem === undefined) this.#log(Effect.logInfo(`Cluster ${cluster}: ${name} is followed again`))
    else if (state === "absent") this.#log(Effect.logInfo(`Cluster ${cluster}: ${problem}`))
    else this.#log(Effect.logWarning(`Cluster ${cluster}: ${problem}`))
  }

  #changeWaiting(writes: ReadonlyArray<ObjectWrite>): void {
    for (const write of writes) {
      const kind = write.write === "put" ? write.typed.kind : write.identity.kind
      const listed = this.#waiting?.get(kind)
      if (listed === undefined) continue
      const key = write.write === "put" ? objectKey(write.typed.object.meta) : objectKey(write.identity)
      const others = listed.objects.filter(({ typed: { object } }) => objectKey(object.meta) !== key)
      const objects = write.write === "put" ? [...others, write] : others
      this.#waiting?.set(kind, { ...listed, objects })
    }
  }

  /** Applies the first complete state when nothing is awaited any more. */
  #applyWhenComplete(): void {
    const waiting = this.#waiting
    if (waiting === undefined) return
    for (const { kind, state } of this.#kinds.values()) {
      if (!waiting.has(kind) && state !== "absent" && state !== "forbidden") return
    }
    this.#waiting = undefined
    const { cluster, graph, onChange, onSynced, store } = this.#options
    const next = store.successor(cluster)
    graph.transaction(() => {
      for (const { objects } of waiting.values()) {
        for (const { typed, version } of objects) next.put(typed, version)
      }
      next.takeOver()
    })
    onSynced?.()
    onChange?.()
  }

  #collectionOf<K extends Kind>(kind: K): Collections<Objects>[K] {
    const { cluster, store } = this.#options
    const objects: Partial<Collections<Objects>> = {
      ...store.clusters.get(cluster)?.objects,
      ...store.config
    }
    const collection = objects[kind]
    if (collection === undefined) throw new Error(`cluster ${cluster} is not in the store`)
    return collection
  }
}
