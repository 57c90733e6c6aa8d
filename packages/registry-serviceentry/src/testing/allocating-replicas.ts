/** Replicas in memory that write automatic addresses to one API server: for tests. */
import { Graph } from "@istiod-lite/collections"
import {
  decodeObject,
  DiscoveryGraph,
  Leadership,
  ObjectSource,
  type ObjectReference,
  ObjectStore,
  ObjectWriter,
  type RawObject,
  type WriteProblem
} from "@istiod-lite/model"
import { MemoryWriter, type WriterCall } from "@istiod-lite/model/testing"
import { Effect, Layer, Stream, SubscriptionRef } from "effect"
import { TestClock } from "effect/testing"
import { layerStatusWriter, type StatusWriterOptions } from "../status-writer.ts"

const cluster = "Kubernetes"
const api = { apiVersion: "networking.istio.io/v1", kind: "ServiceEntry" } as const

/** A ServiceEntry of namespace `shop` as an API server has it. */
export const rawEntry = (
  name: string,
  spec: Readonly<Record<string, unknown>> = {},
  metadata: Partial<RawObject["metadata"]> = {}
): RawObject => ({
  ...api,
  metadata: { name, namespace: "shop", creationTimestamp: "2026-01-06T08:00:00Z", ...metadata },
  spec: {
    hosts: [`${name}.vendor.example`],
    resolution: "DNS",
    ports: [{ number: 443, name: "tls", protocol: "TLS" }],
    ...spec
  }
})

/** Names a ServiceEntry of namespace `shop`. */
export const entryReference = (name: string): ObjectReference => ({ ...api, namespace: "shop", name })

/** Time for whoever begins to lead, and for the writes. */
export const settled: Effect.Effect<void> = Effect.asVoid(
  Effect.repeat(TestClock.adjust("200 millis"), { times: 5 })
)

type Notice = readonly [reference: ObjectReference, now: RawObject | undefined]

/** One replica, whose source keeps no versions; it leads and follows as it is told. */
class Replica {
  readonly store: ObjectStore
  readonly leads: SubscriptionRef.SubscriptionRef<boolean>
  readonly graph = new Graph()
  #lags = false
  readonly #waiting: Array<Notice> = []

  constructor(leads: SubscriptionRef.SubscriptionRef<boolean>) {
    this.leads = leads
    this.store = new ObjectStore(this.graph, cluster)
    this.store.markSynced(cluster)
  }

  notice(change: Notice): void {
    this.#waiting.push(change)
    if (!this.#lags) this.catchUp()
  }

  /** From now on it does not learn what changes. */
  lag(): void {
    this.#lags = true
  }

  catchUp(): void {
    this.#lags = false
    for (const [{ name, namespace }, now] of this.#waiting.splice(0)) {
      const decoded = now === undefined ? undefined : decodeObject(now, { resourceVersion: "" })
      if (decoded === undefined) this.store.delete(cluster, { kind: "ServiceEntry", namespace, name })
      else if (decoded.outcome === "object") this.store.put(cluster, decoded)
    }
  }
}

/** An API server in memory, and replicas that follow it. Deleted addresses are kept for a minute. */
export class AllocatingReplicas {
  readonly memory = new MemoryWriter({
    before: (call) => this.before(call),
    after: (call) => this.after(call),
    onChange: (reference, now) => this.replicas.forEach((one) => one.notice([reference, now]))
  })
  readonly replicas: ReadonlyArray<Replica>
  /** Runs before and after a call of the API server; may fail it. */
  before: (call: WriterCall) => Effect.Effect<void, WriteProblem> = () => Effect.void
  after: (call: WriterCall) => Effect.Effect<void, WriteProblem> = () => Effect.void

  private constructor(replicas: ReadonlyArray<Replica>) {
    this.replicas = replicas
  }

  /** Two replicas, of which the first leads. */
  static readonly make = Effect.fnUntraced(function* (options: StatusWriterOptions = {}) {
    const leads = [yield* SubscriptionRef.make(true), yield* SubscriptionRef.make(false)]
    const world = new AllocatingReplicas(leads.map((one) => new Replica(one)))
    yield* Effect.forEach(world.replicas, (one) => Layer.build(layerOf(one, world.memory.writer, options)))
    yield* settled
    return world
  })

  /** Lets a replica lead, and no other. */
  lead(index: number): Effect.Effect<void> {
    const next = this.replicas[index]
    return Effect.forEach(
      // Nobody begins before everybody else has ended.
      this.replicas.toSorted((a, b) => Number(a === next) - Number(b === next)),
      (one) => SubscriptionRef.set(one.leads, one === next),
      { discard: true }
    )
  }

  /** What the status of an entry says, as `host=address`. */
  addressesOf(name: string): ReadonlyArray<string> {
    const addresses = this.memory.find("ServiceEntry", "shop", name)?.status?.addresses
    return Array.isArray(addresses)
      ? addresses.map((one: { readonly host: string; readonly value: string }) => `${one.host}=${one.value}`)
      : []
  }
}

const layerOf = (
  { graph, leads, store }: Replica,
  writer: ObjectWriter["Service"],
  options: StatusWriterOptions
): Layer.Layer<never> =>
  layerStatusWriter({ quarantine: "1 minute", ...options }).pipe(
    Layer.provide(
      Layer.mergeAll(
        Layer.succeed(DiscoveryGraph, graph),
        Layer.succeed(ObjectSource, store),
        Layer.succeed(ObjectWriter, writer),
        Layer.succeed(Leadership, {
          ...Leadership.alone("replica"),
          whileLeading: (work) =>
            SubscriptionRef.changes(leads).pipe(
              Stream.changes,
              Stream.switchMap((does) =>
                does ? Stream.fromEffect(Effect.andThen(work, Effect.never)) : Stream.never
              ),
              Stream.runDrain,
              Effect.andThen(Effect.never)
            )
        })
      )
    )
  )
