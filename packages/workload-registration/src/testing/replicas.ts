/** Replicas in memory that register machines at one API server: for tests. */
import { Graph } from "@istiod-lite/collections"
import {
  decodeObject,
  DiscoveryGraph,
  identifyObject,
  Leadership,
  ObjectSource,
  ObjectStore,
  ObjectWriter,
  ProxyLifecycle,
  type RawObject,
  type WriteError,
  type WriteProblem
} from "@istiod-lite/model"
import { MemoryWriter, type WriterCall } from "@istiod-lite/model/testing"
import { Context, Effect, Exit, Layer, Scope, Stream, SubscriptionRef } from "effect"
import {
  layerWorkloadRegistration,
  WorkloadRegistration,
  type WorkloadRegistrationOptions
} from "../registration.ts"

/** One replica of the control plane. */
export interface Replica {
  readonly identity: string
  readonly lifecycle: typeof ProxyLifecycle.Service
  readonly registration: WorkloadRegistration["Service"]
  /** Ends as a process does that was told to. */
  readonly shutDown: Effect.Effect<void>
  /** Ends as a process does that was killed: nothing that it had in mind is written. */
  readonly kill: Effect.Effect<void>
}

const cluster = "Kubernetes"

/** Several replicas that watch and write the same objects. The one that has been there longest leads. */
export class Replicas {
  readonly memory = new MemoryWriter({
    before: (call) => this.before(call),
    after: (call) => this.after(call),
    onChange: (reference, now) => {
      const { apiVersion, kind, name, namespace } = reference
      for (const store of [...this.#stores.values(), ...this.#watchers]) {
        feed(store, now ?? { apiVersion, kind, metadata: { name, namespace } })
      }
      if (now === undefined) this.onDeleted(reference.name)
    }
  })
  /** Runs before and after a call of the API server; may fail it, or take its time. */
  before: (call: WriterCall) => Effect.Effect<void, WriteProblem> = () => Effect.void
  after: (call: WriterCall) => Effect.Effect<void, WriteProblem> = () => Effect.void
  onDeleted: (name: string) => void = () => undefined
  readonly #stores = new Map<string, ObjectStore>()
  readonly #watchers: Array<ObjectStore> = []
  readonly #options: WorkloadRegistrationOptions
  readonly #alive: SubscriptionRef.SubscriptionRef<ReadonlyArray<string>>

  private constructor(
    options: WorkloadRegistrationOptions,
    alive: SubscriptionRef.SubscriptionRef<ReadonlyArray<string>>
  ) {
    this.#options = options
    this.#alive = alive
  }

  static make(options: WorkloadRegistrationOptions = {}): Effect.Effect<Replicas> {
    return Effect.map(
      SubscriptionRef.make<ReadonlyArray<string>>([]),
      (alive) => new Replicas(options, alive)
    )
  }

  /** The entries, by name. */
  get entries(): ReadonlyMap<string, RawObject> {
    return new Map(
      this.memory.objects
        .filter(({ kind }) => kind === "WorkloadEntry")
        .map((entry) => [entry.metadata.name, entry])
    )
  }

  /** Fills a store, too, that has the configuration cluster `Kubernetes`. */
  watchWith(store: ObjectStore): void {
    for (const object of this.memory.objects) feed(store, object)
    this.#watchers.push(store)
  }

  /** Starts a replica; it ends with the scope at the latest. */
  start(identity: string): Effect.Effect<Replica, never, Scope.Scope> {
    return Effect.gen({ self: this }, function* () {
      const outer = yield* Scope.Scope
      const scope = yield* Scope.fork(outer)
      const graph = new Graph()
      const store = new ObjectStore(graph, cluster)
      for (const object of this.memory.objects) feed(store, object)
      store.markSynced(cluster)
      this.#stores.set(identity, store)
      yield* SubscriptionRef.update(this.#alive, (alive) => [...alive, identity])

      const leadership = yield* this.#leadership(identity)
      let isDead = false
      const needs = Layer.mergeAll(
        Layer.succeed(DiscoveryGraph, graph),
        Layer.succeed(ObjectSource, store),
        Layer.succeed(Leadership, leadership),
        Layer.succeed(
          ObjectWriter,
          this.#writer(() => isDead)
        )
      )
      const context = yield* Layer.buildWithScope(
        Layer.provide(layerWorkloadRegistration(this.#options), needs),
        scope
      )
      const leave = Effect.suspend(() => {
        this.#stores.delete(identity)
        return SubscriptionRef.update(this.#alive, (alive) => alive.filter((one) => one !== identity))
      })
      return {
        identity,
        lifecycle: Context.get(context, ProxyLifecycle),
        registration: Context.get(context, WorkloadRegistration),
        shutDown: Effect.andThen(Scope.close(scope, Exit.void), leave),
        kill: Effect.suspend(() => {
          isDead = true
          return Effect.andThen(leave, Effect.forkIn(Scope.close(scope, Exit.void), outer))
        })
      }
    })
  }

  /** Nothing that a dead replica tries is answered. */
  #writer(isDead: () => boolean): ObjectWriter["Service"] {
    const guarded = <A>(call: Effect.Effect<A, WriteError>): Effect.Effect<A, WriteError> =>
      Effect.suspend(() => (isDead() ? Effect.never : call))
    const { writer } = this.memory
    return {
      get: (reference) => guarded(writer.get(reference)),
      list: (kind, namespace) => guarded(writer.list(kind, namespace)),
      create: (object) => guarded(writer.create(object)),
      replace: (object, subresource) => guarded(writer.replace(object, subresource)),
      patch: (reference, patch, options) => guarded(writer.patch(reference, patch, options)),
      delete: (reference, precondition) => guarded(writer.delete(reference, precondition))
    }
  }

  #leadership(identity: string): Effect.Effect<Leadership["Service"]> {
    const leader = (): string | undefined => SubscriptionRef.getUnsafe(this.#alive)[0]
    return Effect.succeed({
      identity,
      isLeader: () => leader() === identity,
      leader,
      replicas: () => new Set(SubscriptionRef.getUnsafe(this.#alive)),
      whileLeading: (work) =>
        SubscriptionRef.changes(this.#alive).pipe(
          Stream.map(([first]) => first === identity),
          Stream.changes,
          Stream.switchMap((leads) =>
            leads ? Stream.fromEffect(Effect.andThen(work, Effect.never)) : Stream.never
          ),
          Stream.runDrain,
          Effect.andThen(Effect.never)
        )
    })
  }
}

const feed = (store: ObjectStore, object: RawObject): void => {
  const decoded = decodeObject(object)
  const identity = identifyObject(object)
  if (object.spec === undefined && identity !== undefined) store.delete(cluster, identity)
  else if (decoded.outcome === "object") store.put(cluster, decoded)
}
