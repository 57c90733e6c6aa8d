import type { Graph } from "@istiod-lite/collections"
import type { ClusterStatus, ObjectStore } from "@istiod-lite/model"
import { Clock, Duration, Effect, Fiber, FiberSet, Metric, type Scope } from "effect"
import { type ClusterSecret, clustersOf, type NamedCluster, unsafeSettings } from "./cluster-secrets.ts"
import { type ClusterSource, type ClusterSourceOptions, watchCluster } from "./cluster-source.ts"
import { KubeConfigError } from "./kube-config-error.ts"
import { loadKubeConfig } from "./load-kube-config.ts"
import { makeKubeClient } from "./make-kube-client.ts"

/** How the clusters that secrets name are followed. */
export interface RemoteClustersOptions {
  readonly graph: Graph
  readonly store: ObjectStore
  /** How long a cluster that has not been read yet may hold up readiness. Default: 30 seconds, as Istio's. */
  readonly clusterTimeout?: Duration.Input
  /** unsafe settings that kubeconfigs in secrets may have, such as `exec`; default none */
  readonly allowedSettings?: ReadonlySet<string>
  readonly reflector?: ClusterSourceOptions["reflector"]
}

/** The clusters that secrets name, as they come, change and go. */
export interface RemoteClusters {
  /** Takes the secrets as they are now. Returns at once. */
  readonly set: (secrets: Iterable<ClusterSecret>) => void
  readonly statuses: () => ReadonlyArray<ClusterStatus>
}

/** Clusters that were not read within the time for which readiness waits for them. */
export const remoteClusterTimeouts = Metric.counter("istiod_lite_remote_cluster_timeouts", {
  description: "Clusters that were not read within the time for which readiness waits for them",
  incremental: true
})

/**
 * Follows every cluster that a secret names (S-22). A changed secret makes a new connection, which is read aside and then
 * takes the place of the old one in one transaction, so that endpoints never go missing. What fails is told, goes on to
 * be tried, and takes nothing else down.
 */
export const makeRemoteClusters = (
  options: RemoteClustersOptions
): Effect.Effect<RemoteClusters, never, Scope.Scope> =>
  Effect.gen(function* () {
    const fork = yield* FiberSet.makeRuntime()
    const clock = yield* Clock.Clock
    const members = new Map<string, RemoteCluster>()
    let told = ""
    const set: RemoteClusters["set"] = (secrets) => {
      const { clusters, faults } = clustersOf(secrets, options.store.configCluster)
      const text = faults.join(" ")
      if (text !== told && text !== "") fork(Effect.logWarning(text))
      told = text
      for (const [id, member] of members) {
        if (clusters.has(id)) continue
        members.delete(id)
        member.remove()
      }
      for (const [id, named] of clusters) {
        let member = members.get(id)
        if (member === undefined) {
          member = new RemoteCluster(named, options, () => clock.currentTimeMillisUnsafe(), fork)
          members.set(id, member)
        }
        member.connect(named)
      }
    }
    return { set, statuses: () => [...members.values()].map((member) => member.status()) }
  })

type Fork = <A, E>(effect: Effect.Effect<A, E>) => Fiber.Fiber<A, E>

/** One attempt to follow a cluster, with the credentials of one version of its secret. */
interface Connection {
  readonly named: NamedCluster
  source: ClusterSource | undefined
  fiber: Fiber.Fiber<unknown, unknown> | undefined
}

class RemoteCluster {
  readonly #id: string
  readonly #options: RemoteClustersOptions
  readonly #now: () => number
  readonly #fork: Fork
  readonly #timer: Fiber.Fiber<unknown, unknown>
  #since: number
  /** what its objects come from */
  #serving: Connection | undefined
  /** what is to take its place */
  #next: Connection | undefined
  /** why the newest credentials cannot be used */
  #failure: string | undefined
  #timedOut = false

  constructor(named: NamedCluster, options: RemoteClustersOptions, now: () => number, fork: Fork) {
    this.#id = named.cluster
    this.#options = options
    this.#now = now
    this.#fork = fork
    this.#since = now()
    options.store.addCluster(named.cluster)
    const { clusterTimeout = "30 seconds" } = options
    this.#timer = fork(
      Effect.andThen(
        Effect.sleep(clusterTimeout),
        Effect.sync(() => this.#timeOut())
      )
    )
  }

  /** Uses these credentials from when they have proved themselves on; nothing happens if they are in use. */
  connect(named: NamedCluster): void {
    const newest = this.#next ?? this.#serving
    if (newest?.named.kubeconfig === named.kubeconfig) return
    this.#stop(this.#next)
    this.#failure = undefined
    const connection: Connection = { named, source: undefined, fiber: undefined }
    this.#next = connection
    connection.fiber = this.#fork(
      this.#follow(connection).pipe(
        Effect.tapError((error) => Effect.logWarning(`Cluster ${this.#id}: ${error.message}`)),
        Effect.catch((error) => Effect.sync(() => this.#fail(connection, error.message)))
      )
    )
  }

  /** Lets go of it and of all it brought, in one transaction (D-7). */
  remove(): void {
    this.#stop(this.#next)
    this.#stop(this.#serving)
    this.#fork(Fiber.interrupt(this.#timer))
    this.#options.store.removeCluster(this.#id)
  }

  status(): ClusterStatus {
    const shown = this.#serving ?? this.#next
    const status = shown?.source?.status() ?? {
      cluster: this.#id,
      server: "",
      error: undefined,
      since: this.#since,
      kinds: []
    }
    if (this.#serving !== undefined && shown?.source !== undefined) {
      return { ...status, state: shown.source.status().state, error: this.#failure ?? status.error }
    }
    const state = this.#failure !== undefined ? "failed" : this.#timedOut ? "timeout" : "syncing"
    return { ...status, state, error: this.#failure ?? status.error, since: this.#since }
  }

  #follow(connection: Connection): Effect.Effect<never, KubeConfigError> {
    const { allowedSettings, graph, reflector, store } = this.#options
    const { cluster, kubeconfig, secret } = connection.named
    return Effect.scoped(
      Effect.gen({ self: this }, function* () {
        const subject = `the kubeconfig in secret ${secret}`
        const loaded = yield* loadKubeConfig({ from: "text", text: kubeconfig, subject })
        const unsafe = unsafeSettings(loaded.config, allowedSettings)
        if (unsafe.length > 0) {
          const reason = `${unsafe.join(", ")} would run programs or read files here`
          return yield* new KubeConfigError({ subject, reason, remedy: "Use a token or certificate data." })
        }
        const client = yield* makeKubeClient(loaded)
        connection.source = yield* watchCluster({
          client,
          cluster,
          graph,
          store,
          ...(reflector === undefined ? {} : { reflector }),
          onSynced: () => this.#takeOver(connection),
          onChange: () => this.#tellWhatIsMissing()
        })
        return yield* Effect.never
      })
    )
  }

  /** Its first complete state is in the store: what was there before writes no more. */
  #takeOver(connection: Connection): void {
    this.#stop(this.#serving)
    this.#serving = connection
    this.#next = undefined
    this.#since = this.#now()
    this.#fork(Effect.logInfo(`Cluster ${this.#id} is synced`))
  }

  #stop(connection: Connection | undefined): void {
    connection?.source?.stop()
    if (connection?.fiber !== undefined) this.#fork(Fiber.interrupt(connection.fiber))
  }

  #fail(connection: Connection, message: string): void {
    if (this.#next !== connection) return
    this.#failure = message
    // Nothing is to be expected of these credentials, so nobody waits for them.
    if (this.#serving === undefined) this.#serveWithout()
  }

  #timeOut(): void {
    if (this.#serving !== undefined || this.#failure !== undefined) return
    this.#timedOut = true
    this.#since = this.#now()
    this.#serveWithout()
    const { clusterTimeout = "30 seconds" } = this.#options
    const time = Duration.format(Duration.fromInputUnsafe(clusterTimeout))
    const message = `Cluster ${this.#id} has not been read within ${time}; the others are served without it`
    this.#fork(
      Effect.andThen(
        Effect.logWarning(`${message}: ${this.#reason()}`),
        Metric.update(remoteClusterTimeouts, 1)
      )
    )
  }

  /** Readiness waits for it no more; that it is missing is told wherever someone asks. */
  #serveWithout(): void {
    const { store } = this.#options
    store.markSynced(this.#id)
    this.#tellWhatIsMissing()
  }

  #tellWhatIsMissing(): void {
    if (this.#serving !== undefined || !(this.#timedOut || this.#failure !== undefined)) return
    const because = `cluster ${this.#id} is not synced: ${this.#reason()}`
    this.#options.store.markStale(this.#id, { since: this.#since, because })
  }

  #reason(): string {
    return this.#failure ?? this.#next?.source?.status().error ?? "its API server does not answer"
  }
}
