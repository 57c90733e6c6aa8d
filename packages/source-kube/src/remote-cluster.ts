import type { Graph } from "@istiod-lite/collections"
import type { ClusterStatus, ObjectStore } from "@istiod-lite/model"
import { Duration, Effect, Fiber, Metric, type Scope } from "effect"
import type { NamedCluster } from "./cluster-secrets.ts"
import { type ClusterSource, type ClusterSourceOptions, watchCluster } from "./cluster-source.ts"
import type { KubeClient } from "./kube-client.ts"
import type { KubeConfigError } from "./kube-config-error.ts"

/** How a cluster that a secret names is followed. */
export interface RemoteClusterOptions {
  readonly graph: Graph
  readonly store: ObjectStore
  readonly connect: (named: NamedCluster) => Effect.Effect<KubeClient, KubeConfigError, Scope.Scope>
  /** How long a cluster that has not been read yet may hold up readiness. Default: 30 seconds, as Istio's. */
  readonly clusterTimeout?: Duration.Input
  readonly lists?: ClusterSourceOptions["lists"]
  readonly multiClusterKinds?: ClusterSourceOptions["multiClusterKinds"]
  readonly reflector?: ClusterSourceOptions["reflector"]
}

interface RemoteClusterContext extends RemoteClusterOptions {
  readonly fork: <A, E>(effect: Effect.Effect<A, E>) => Fiber.Fiber<A, E>
  /** epoch milliseconds */
  readonly now: () => number
}

/** Clusters that were not read within the time for which readiness waits for them. */
export const remoteClusterTimeouts = Metric.counter("istiod_lite_remote_cluster_timeouts", {
  description: "Clusters that were not read within the time for which readiness waits for them",
  incremental: true
})

/** An attempt to follow a cluster, with the credentials of one version of its secret. */
interface Connection {
  readonly kubeconfig: string
  client: KubeClient | undefined
  source: ClusterSource | undefined
  fiber: Fiber.Fiber<unknown, unknown> | undefined
}

/** A cluster that a secret names, from when it is named until it is not any more, whatever its credentials. */
export class RemoteCluster {
  readonly #id: string
  readonly #context: RemoteClusterContext
  readonly #timer: Fiber.Fiber<unknown, unknown>
  /** since when it is in its state */
  #since: number
  /** what its objects come from */
  #serving: Connection | undefined
  /** what is to take its place */
  #next: Connection | undefined
  /** why the newest credentials cannot be used */
  #failure: string | undefined
  #hasTimedOut = false
  /** whether readiness waits for it no more, though nothing is known of it */
  #isGoneWithout = false

  constructor(id: string, context: RemoteClusterContext) {
    this.#id = id
    this.#context = context
    this.#since = context.now()
    context.store.addCluster(id)
    const timeOut = Effect.sync(() => this.#timeOut())
    this.#timer = context.fork(Effect.delay(timeOut, context.clusterTimeout ?? defaultTimeout))
  }

  /** Uses these credentials as soon as the cluster was read with them; nothing happens if they are in use. */
  connect(named: NamedCluster): void {
    const { kubeconfig } = named
    if ((this.#next ?? this.#serving)?.kubeconfig === kubeconfig) return
    this.#stop(this.#next)
    this.#next = undefined
    this.#failure = undefined
    if (this.#serving?.kubeconfig === kubeconfig) return
    const connection: Connection = { kubeconfig, client: undefined, source: undefined, fiber: undefined }
    this.#next = connection
    this.#tellWhatIsMissing()
    connection.fiber = this.#context.fork(
      this.#follow(connection, named).pipe(
        Effect.catch((error) => this.#fail(connection, error.message)),
        Effect.catchDefect((defect) => this.#fail(connection, `It cannot be followed: ${String(defect)}`))
      )
    )
  }

  /** Lets go of it and of all it brought, in one transaction (D-7). */
  remove(): void {
    this.#stop(this.#next)
    this.#stop(this.#serving)
    this.#context.fork(Fiber.interrupt(this.#timer))
    this.#context.store.removeCluster(this.#id)
  }

  /** What its objects come by; undefined while there are none. */
  get client(): KubeClient | undefined {
    return this.#serving?.client
  }

  status(): ClusterStatus {
    const nextError = this.#failure ?? this.#next?.source?.status().error
    const serving = this.#serving?.source?.status()
    // That new credentials are of no use has to be seen while the old ones still are.
    if (serving !== undefined) return { ...serving, error: nextError ?? serving.error }
    const { kinds = [], server = "" } = this.#next?.source?.status() ?? {}
    const state = this.#failure !== undefined ? "failed" : this.#hasTimedOut ? "timeout" : "syncing"
    return { cluster: this.#id, server, state, error: nextError, since: this.#since, kinds }
  }

  #follow(connection: Connection, named: NamedCluster): Effect.Effect<never, KubeConfigError> {
    const { connect, graph, lists, multiClusterKinds, reflector, store } = this.#context
    return Effect.scoped(
      Effect.gen({ self: this }, function* () {
        const client = yield* connect(named)
        connection.client = client
        connection.source = yield* watchCluster({
          client,
          cluster: this.#id,
          graph,
          store,
          ...(lists === undefined ? {} : { lists }),
          ...(multiClusterKinds === undefined ? {} : { multiClusterKinds }),
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
    this.#isGoneWithout = false
    this.#context.fork(Effect.logInfo(`Cluster ${this.#id} is synced`))
  }

  #stop(connection: Connection | undefined): void {
    connection?.source?.stop()
    if (connection?.fiber !== undefined) this.#context.fork(Fiber.interrupt(connection.fiber))
  }

  #fail(connection: Connection, message: string): Effect.Effect<void> {
    return Effect.suspend(() => {
      if (this.#next !== connection) return Effect.void
      this.#failure = message
      // Nothing is to be expected of these credentials, so nobody waits for them.
      this.#goWithout()
      return Effect.logWarning(`Cluster ${this.#id}: ${message}`)
    })
  }

  #timeOut(): void {
    this.#hasTimedOut = true
    if (this.#serving !== undefined || this.#failure !== undefined) return
    this.#goWithout()
    const { clusterTimeout = defaultTimeout, fork } = this.#context
    const time = Duration.format(Duration.fromInputUnsafe(clusterTimeout))
    const message = `Cluster ${this.#id} has not been read within ${time}; the others are served without it`
    fork(
      Effect.andThen(
        Effect.logWarning(`${message}: ${this.#reason()}`),
        Metric.update(remoteClusterTimeouts, 1)
      )
    )
  }

  /** Readiness waits for it no more; that it is missing is told wherever someone asks (case 44). */
  #goWithout(): void {
    if (this.#serving !== undefined) return
    const { now, store } = this.#context
    this.#since = now()
    this.#isGoneWithout = true
    store.markSynced(this.#id)
    this.#tellWhatIsMissing()
  }

  #tellWhatIsMissing(): void {
    if (!this.#isGoneWithout) return
    const because = `cluster ${this.#id} is not synced: ${this.#reason()}`
    this.#context.store.markStale(this.#id, { since: this.#since, because })
  }

  #reason(): string {
    return this.#failure ?? this.#next?.source?.status().error ?? "its API server has not answered"
  }
}

const defaultTimeout = "30 seconds"
