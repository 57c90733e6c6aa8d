import { DiscoveryGraph, ObjectSource, ObjectStore } from "@istiod-lite/model"
import { type KubeClient, watchCluster } from "@istiod-lite/source-kube"
import { Deferred, Effect, Exit, Layer, Scope } from "effect"
import { randomUUID } from "node:crypto"
import type { ScenarioDriver } from "../play-scenario.ts"
import type { Scenario } from "../scenario.ts"
import { ScenarioError } from "../scenario-error.ts"
import { deleteObject, type Identity, identityOf, Rejected, writeObject } from "./api-objects.ts"
import { isFields } from "./restored.ts"
import { restoringClient, type Seen } from "./restoring-client.ts"

/** A scenario whose objects go through API servers. */
export interface DrivenScenario {
  /** what is read from the API servers */
  readonly objects: Layer.Layer<ObjectSource, never, DiscoveryGraph>
  readonly driver: ScenarioDriver
}

/** How long an object may be on its way. */
const patience = "20 seconds"

/**
 * Gives each cluster of a scenario one of the API servers. Objects are written there in their order, and the control plane
 * reads them by lists and watches; when the scope closes they are deleted again.
 */
export const driveApiServers = (
  scenario: Scenario,
  servers: ReadonlyArray<KubeClient>
): Effect.Effect<DrivenScenario, ScenarioError, Scope.Scope> =>
  Effect.gen(function* () {
    const ids = [...new Set([...scenario.clusters, ...clustersOfSteps(scenario)])]
    if (ids.length > servers.length) {
      const reason = `it has ${ids.length} clusters, there are ${servers.length} API servers`
      return yield* new ScenarioError({ scenario: scenario.name, reason })
    }
    const run = randomUUID()
    const clusters = new Map<string, DrivenCluster>()
    for (const [i, id] of ids.entries()) {
      const server = servers[i]
      if (server !== undefined) clusters.set(id, new DrivenCluster(server, run, yield* Scope.make()))
    }
    yield* Effect.addFinalizer(() =>
      Effect.forEach(clusters.values(), (cluster) => cluster.end, { discard: true })
    )
    const follows = yield* Deferred.make<Effect.Effect<void>>()
    const objects = Layer.effect(
      ObjectSource,
      Effect.gen(function* () {
        const graph = yield* DiscoveryGraph
        const store = new ObjectStore(graph, scenario.configCluster)
        for (const [id, cluster] of clusters) {
          cluster.leave = () => store.removeCluster(id)
          cluster.follows = () => cluster.follow(id, graph, store)
        }
        const fromTheStart = [...clusters].flatMap(([id, cluster]) =>
          scenario.clusters.includes(id) ? [cluster.begin] : []
        )
        yield* Deferred.succeed(follows, Effect.all(fromTheStart, { discard: true }))
        return store
      })
    )
    const clusterOf = (id: string | undefined) => {
      const cluster = clusters.get(id ?? scenario.configCluster)
      return cluster === undefined ? Effect.die(new Error(`no cluster ${id}`)) : Effect.succeed(cluster)
    }
    const driver: ScenarioDriver = {
      initial: Effect.gen(function* () {
        const follow = yield* Deferred.await(follows)
        const write = Effect.forEach(
          scenario.objects,
          ({ cluster, object }) => Effect.flatMap(clusterOf(cluster), (one) => one.apply(object)),
          { discard: true }
        )
        // Who allocated addresses earlier did so before the control plane started; who allocates sees entries in order.
        if (scenario.objects.some(({ object }) => hasAddresses(object))) yield* Effect.andThen(write, follow)
        else yield* Effect.andThen(follow, write)
      }),
      item: (item) =>
        Effect.flatMap(clusterOf(item.cluster), (cluster) =>
          item.action === "apply"
            ? Effect.andThen(cluster.begin, cluster.apply(item.object))
            : item.action === "delete"
              ? cluster.delete(item.object)
              : cluster.remove
        )
    }
    return { objects, driver }
  })

/** Whether an allocator has been at work. */
const hasAddresses = (object: unknown): boolean =>
  isFields(object) && isFields(object.status) && Array.isArray(object.status.addresses)

const clustersOfSteps = ({ steps }: Scenario): ReadonlyArray<string> =>
  steps.flat().flatMap(({ cluster }) => (cluster === undefined ? [] : [cluster]))

class DrivenCluster {
  /** Begins to follow it; undefined: it is followed already. */
  follows: (() => Effect.Effect<void>) | undefined
  leave: () => void = () => undefined
  readonly #server: KubeClient
  readonly #run: string
  readonly #scope: Scope.Closeable
  readonly #seen = new Map<string, Seen>()
  readonly #written = new Map<string, Identity>()
  #writes = 0

  constructor(server: KubeClient, run: string, scope: Scope.Closeable) {
    this.#server = server
    this.#run = run
    this.#scope = scope
  }

  follow(cluster: string, graph: DiscoveryGraph["Service"], store: ObjectStore): Effect.Effect<void> {
    return Effect.gen({ self: this }, function* () {
      const synced = yield* Deferred.make<void>()
      const client = restoringClient(this.#server, this.#run, (seen) => this.#seen.set(keyOf(seen), seen))
      store.addCluster(cluster)
      yield* Scope.provide(
        watchCluster({
          client,
          cluster,
          graph,
          store,
          onSynced: () => Deferred.doneUnsafe(synced, Effect.void)
        }),
        this.#scope
      )
      yield* Deferred.await(synced)
    })
  }

  /** Fails for an object that is written for the first time. */
  #refuseFirst(identity: Identity): Effect.Effect<void, Rejected> {
    const object = keyOf(identity)
    const reason =
      "an API server takes an object and its status in two writes, between which the allocator acts"
    return this.#written.has(object) ? Effect.void : Effect.fail(new Rejected({ object, reason }))
  }

  get begin(): Effect.Effect<void> {
    return Effect.suspend(() => {
      const { follows } = this
      this.follows = undefined
      return follows?.() ?? Effect.void
    })
  }

  apply(object: unknown): Effect.Effect<void, Rejected> {
    return Effect.gen({ self: this }, function* () {
      const identity = identityOf(object)
      if (identity === undefined || !isFields(object)) return
      if (this.follows === undefined && hasAddresses(object)) yield* this.#refuseFirst(identity)
      this.#written.set(keyOf(identity), identity)
      const version = yield* writeObject(this.#server, object, identity, {
        run: this.#run,
        write: ++this.#writes
      })
      // What nobody follows yet will be in the list.
      if (this.follows === undefined) {
        yield* this.#until(identity, (seen) => !seen.isGone && seen.version >= version)
      }
    })
  }

  delete(object: unknown): Effect.Effect<void, Rejected> {
    const identity = identityOf(object)
    if (identity === undefined || !this.#written.has(keyOf(identity))) return Effect.void
    return Effect.andThen(
      deleteObject(this.#server, identity),
      this.#until(identity, ({ isGone }) => isGone)
    )
  }

  get remove(): Effect.Effect<void> {
    return Effect.andThen(
      Scope.close(this.#scope, Exit.void),
      Effect.sync(() => this.leave())
    )
  }

  /** Leaves the API server as it was. */
  get end(): Effect.Effect<void> {
    return Effect.andThen(
      Scope.close(this.#scope, Exit.void),
      Effect.forEach(
        [...this.#written.values()].filter(({ kind }) => kind !== "Namespace"),
        (identity) => Effect.ignore(deleteObject(this.#server, identity)),
        { discard: true, concurrency: 8 }
      )
    )
  }

  /** Waits until the source has been told so, and has told the collections. */
  #until(identity: Identity, isSo: (seen: Seen) => boolean): Effect.Effect<void> {
    const key = keyOf(identity)
    return Effect.repeat(Effect.sleep("2 millis"), {
      until: () => {
        const seen = this.#seen.get(key)
        return seen !== undefined && isSo(seen)
      }
    }).pipe(Effect.andThen(Effect.sleep("5 millis")), Effect.timeout(patience), Effect.orDie)
  }
}

const keyOf = ({ kind, name, namespace }: Pick<Seen, "kind" | "name" | "namespace">): string =>
  `${kind}/${namespace}/${name}`
