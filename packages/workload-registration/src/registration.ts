import type { Graph } from "@istiod-lite/collections"
import {
  AuthenticationError,
  DiscoveryGraph,
  Leadership,
  objectKey,
  ObjectSource,
  ObjectWriter,
  type ProxyConnection,
  ProxyLifecycle,
  type WriteError
} from "@istiod-lite/model"
import { Clock, Context, Deferred, type Duration, Effect, FiberSet, Layer, Metric } from "effect"
import { connectedAtAnnotation, controllerAnnotation } from "./annotations.ts"
import { cleaningUp } from "./clean-up.ts"
import { asksForEntry, type RegistrationRequest, workloadEntryApi } from "./entry-from-group.ts"
import { judge, type KnownObjects } from "./judge.ts"
import { probing } from "./probing.ts"
import { type Machine, machineOf, type RefusedMachine, Refusals } from "./machine.ts"
import { type MachineContext, MachineWork } from "./machine-work.ts"

/** How machines are registered. */
export interface WorkloadRegistrationOptions {
  /** How long a machine may be away before its entry goes. Default: 10 seconds, as Istio's. */
  readonly gracePeriod?: Duration.Input
  /** How long machines have to come back after this replica started again. Default: 1 minute. */
  readonly reconnectPeriod?: Duration.Input
}

/** The machines, as far as this replica knows. */
export class WorkloadRegistration extends Context.Service<
  WorkloadRegistration,
  {
    /** sorted by namespace and name */
    readonly machines: () => ReadonlyArray<Machine>
    /** refused here, newest first */
    readonly refused: () => ReadonlyArray<RefusedMachine>
  }
>()("@istiod-lite/workload-registration/WorkloadRegistration") {}

/** Machines that were refused. */
export const refusedRegistrations = Metric.counter("istiod_lite_refused_registrations", {
  description: "Registrations of machines that were refused",
  incremental: true
})

/**
 * Registers machines when their proxies connect, keeps what their entries say of connection and health true, and removes
 * what they leave behind (the leader alone). Besides what its type says it provides `ProxyLifecycle`, a reference.
 */
export const layerWorkloadRegistration = (
  options: WorkloadRegistrationOptions = {}
): Layer.Layer<WorkloadRegistration, never, DiscoveryGraph | ObjectSource | ObjectWriter | Leadership> =>
  Layer.effectContext(make(options))

const make = Effect.fn("layerWorkloadRegistration")(function* ({
  gracePeriod = "10 seconds",
  reconnectPeriod = "1 minute"
}: WorkloadRegistrationOptions) {
  const graph = yield* DiscoveryGraph
  const source = yield* ObjectSource
  const leadership = yield* Leadership
  const writer = yield* ObjectWriter
  const clock = yield* Clock.Clock
  const fork = yield* FiberSet.makeRuntime()
  const { WorkloadEntry: entries, WorkloadGroup: groups } = source.config
  const works = new Map<string, MachineWork>()
  const workOfConnection = new WeakMap<ProxyConnection, MachineWork>()
  const refusals = new Refusals()
  const context: MachineContext = {
    writer,
    identity: leadership.identity,
    group: (namespace, name) => groups.get(objectKey({ namespace, name }))
  }
  const objects: KnownObjects = {
    group: context.group,
    entry: (namespace, name) => entries.get(objectKey({ namespace, name }))
  }
  const run = (work: MachineWork): void => {
    fork(
      Effect.andThen(
        work.run,
        Effect.sync(() => {
          const key = objectKey(work.reference)
          if (work.isIdle && works.get(key) === work) works.delete(key)
        })
      )
    )
  }
  const workOf = (namespace: string, name: string, request: RegistrationRequest | undefined): MachineWork => {
    const key = objectKey({ namespace, name })
    const known = works.get(key)
    if (known !== undefined) return known
    const work = new MachineWork({ ...workloadEntryApi, namespace, name }, request, context)
    works.set(key, work)
    return work
  }

  const refuse = (connection: ProxyConnection, reason: string): Effect.Effect<never, AuthenticationError> => {
    const { node, peer } = connection
    const at = new Date(clock.currentTimeMillisUnsafe()).toISOString()
    refusals.note({ at, node: node.id, peer: peer.address, reason })
    return Effect.andThen(
      Metric.update(refusedRegistrations, 1),
      Effect.fail(new AuthenticationError({ peer: peer.address, node: node.id, reason }))
    )
  }

  const follow = (
    connection: ProxyConnection,
    work: MachineWork
  ): Effect.Effect<void, AuthenticationError> => {
    const done = work.connect(connection)
    workOfConnection.set(connection, work)
    run(work)
    return Deferred.await(done).pipe(
      // An API server that does not answer keeps no machine from its endpoints: the write follows when it does.
      Effect.timeoutOrElse({ duration: "2 seconds", orElse: () => Effect.void }),
      Effect.catch(({ message }: WriteError) => refuse(connection, message)),
      Effect.tap(() => Effect.sync(() => refusals.forget(connection.node.id)))
    )
  }

  const connected = (connection: ProxyConnection): Effect.Effect<void, AuthenticationError> =>
    // Most proxies are no machines: they wait for nothing.
    asksForEntry(connection.proxy)
      ? Effect.andThen(
          untilSynced(graph, source.synced),
          Effect.suspend(() => {
            const judged = judge(connection, objects)
            if (judged.verdict === "none") return Effect.void
            if (judged.verdict === "refuse") return refuse(connection, judged.reason)
            return follow(connection, workOf(judged.namespace, judged.name, judged.request))
          })
        )
      : Effect.void

  const lifecycle = {
    connected,
    reported: (connection, report) => {
      const work = workOfConnection.get(connection)
      if (work === undefined) return
      work.report(connection, report)
      run(work)
    },
    disconnected: (connection) => {
      const work = workOfConnection.get(connection)
      if (work === undefined) return
      work.disconnect(connection, clock.currentTimeMillisUnsafe())
      run(work)
    }
  } satisfies typeof ProxyLifecycle.Service

  // Entries that say to be connected to this replica and are not: it was killed, and started again under its name.
  const startedAt = clock.currentTimeMillisUnsafe()
  const findOrphans = Effect.sync(() => {
    for (const { meta } of entries.values()) {
      const connectedAt = Date.parse(meta.annotations[connectedAtAnnotation] ?? "")
      if (meta.annotations[controllerAnnotation] !== leadership.identity) continue
      if (!(connectedAt < startedAt)) continue
      const work = workOf(meta.namespace, meta.name, undefined)
      work.orphan(connectedAt, clock.currentTimeMillisUnsafe())
      run(work)
    }
  })
  yield* Effect.forkScoped(
    Effect.andThen(
      Effect.andThen(untilSynced(graph, source.synced), Effect.sleep(reconnectPeriod)),
      findOrphans
    )
  )
  yield* Effect.forkScoped(
    leadership.whileLeading(
      Effect.andThen(
        untilSynced(graph, source.synced),
        Effect.all([cleaningUp({ entries, writer, leadership, gracePeriod }), probing({ entries, writer })], {
          concurrency: "unbounded",
          discard: true
        })
      )
    )
  )
  // Streams were ended by who listens: that is written before this replica is gone.
  yield* Effect.addFinalizer(() =>
    Effect.forEach(works.values(), (work) => untilIdle(work), {
      concurrency: "unbounded",
      discard: true
    }).pipe(Effect.timeout("5 seconds"), Effect.ignore)
  )

  const registration = WorkloadRegistration.of({
    machines: () =>
      [...entries.values()]
        .map((entry) => machineOf(entry, works.get(objectKey(entry.meta))?.connections ?? []))
        .toSorted((a, b) => compare(a.namespace, b.namespace) || compare(a.name, b.name)),
    refused: () => refusals.all
  })
  return Context.make(WorkloadRegistration, registration).pipe(Context.add(ProxyLifecycle, lifecycle))
})

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

const untilIdle = (work: MachineWork): Effect.Effect<void> =>
  Effect.repeat(Effect.andThen(work.run, Effect.sleep("10 millis")), { until: () => work.isIdle }).pipe(
    Effect.asVoid
  )

/** Waits until the objects have been read: before that a group only seems to be missing. */
const untilSynced = (graph: Graph, synced: () => boolean): Effect.Effect<void> =>
  Effect.suspend(() =>
    synced()
      ? Effect.void
      : Effect.race(
          Effect.callback<void>((resume) =>
            Effect.sync(
              graph.onCommit(() => {
                if (synced()) resume(Effect.void)
              })
            )
          ),
          Effect.repeat(Effect.sleep("100 millis"), { until: synced })
        ).pipe(Effect.asVoid)
  )
