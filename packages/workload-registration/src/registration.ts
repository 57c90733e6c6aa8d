import {
  AuthenticationError,
  DiscoveryGraph,
  Leadership,
  objectKey,
  ObjectSource,
  ObjectWriter,
  type ProxyConnection,
  ProxyLifecycle,
  type WorkloadGroup
} from "@istiod-lite/model"
import { Clock, Context, Deferred, type Duration, Effect, Layer, Metric } from "effect"
import { cleaningUp } from "./clean-up.ts"
import { asksForEntry, entryFromGroup, type RegistrationRequest } from "./entry-from-group.ts"
import { followMachines } from "./followed-machines.ts"
import { judge, type KnownObjects } from "./judge.ts"
import { type Machine, machineOf, type RefusedMachine, Refusals } from "./machine.ts"
import type { MachineWork, MakeEntry } from "./machine-work.ts"
import { probing } from "./probing.ts"
import { untilSynced } from "./until-synced.ts"

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
    /** refused here, newest first; also proxies that are no machines, if they could not prove who they are */
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
  const { WorkloadEntry: entries, WorkloadGroup: groups } = source.config
  const objects: KnownObjects = {
    group: (namespace, name) => groups.get(objectKey({ namespace, name })),
    entry: (namespace, name) => entries.get(objectKey({ namespace, name }))
  }
  const machines = yield* followMachines({ source, writer, identity: leadership.identity })
  const workOf = new WeakMap<ProxyConnection, MachineWork>()
  // A stream may end while its connection waits for the objects to be read.
  const gone = new WeakSet<ProxyConnection>()
  const refusals = new Refusals()
  const synced = untilSynced(graph, source.synced)

  const refuse = ({ node, peer }: ProxyConnection, reason: string) =>
    Effect.gen(function* () {
      const at = new Date(yield* Clock.currentTimeMillis).toISOString()
      refusals.note({ at, node: node.id, peer: peer.address, reason })
      yield* Metric.update(refusedRegistrations, 1)
      return yield* new AuthenticationError({ peer: peer.address, node: node.id, reason })
    })

  const follow = (
    connection: ProxyConnection,
    work: MachineWork
  ): Effect.Effect<void, AuthenticationError> => {
    const done = work.connect(connection)
    workOf.set(connection, work)
    machines.start(work)
    return Deferred.await(done).pipe(
      // An API server that does not answer keeps no machine from its endpoints: the write follows when it does.
      Effect.timeoutOrElse({ duration: "2 seconds", orElse: () => Effect.void }),
      Effect.catch((reason) => refuse(connection, reason))
    )
  }

  const register = (connection: ProxyConnection): Effect.Effect<void, AuthenticationError> =>
    // Most proxies are no machines: they wait for nothing.
    asksForEntry(connection.proxy)
      ? Effect.andThen(
          synced,
          Effect.suspend(() => {
            if (gone.has(connection)) return Effect.void
            const judged = judge(connection, objects)
            if (judged.verdict === "none") return Effect.void
            if (judged.verdict === "refuse") return refuse(connection, judged.reason)
            const { name, namespace, request } = judged
            return follow(connection, machines.work(namespace, name, entryMaker(request, objects.group)))
          })
        )
      : Effect.void
  const connected = (connection: ProxyConnection): Effect.Effect<void, AuthenticationError> =>
    Effect.tap(register(connection), () =>
      Effect.sync(() => {
        if (!gone.has(connection)) refusals.forget(connection.node.id)
      })
    )

  const change = (connection: ProxyConnection, note: (work: MachineWork, at: number) => void): void => {
    const work = workOf.get(connection)
    if (work === undefined) return
    note(work, clock.currentTimeMillisUnsafe())
    machines.start(work)
  }
  const lifecycle: typeof ProxyLifecycle.Service = {
    connected,
    reported: (connection, report) => change(connection, (work, at) => work.report(connection, report, at)),
    disconnected: (connection) => {
      gone.add(connection)
      change(connection, (work, at) => work.disconnect(connection, at))
    },
    // Whether it is a machine is not known of one whose word is not believed: operators are told of all.
    refused: ({ node, peer, reason }) =>
      refusals.note({ at: new Date(clock.currentTimeMillisUnsafe()).toISOString(), node, peer, reason })
  }

  const orphans = Effect.forever(Effect.andThen(machines.releaseOrphans, Effect.sleep("30 seconds")))
  yield* Effect.forkScoped(Effect.andThen(synced, Effect.andThen(Effect.sleep(reconnectPeriod), orphans)))
  const leading = [cleaningUp({ entries, writer, leadership, gracePeriod }), probing({ entries, writer })]
  yield* Effect.forkScoped(
    leadership.whileLeading(
      Effect.andThen(synced, Effect.all(leading, { concurrency: "unbounded", discard: true }))
    )
  )
  // Streams were ended by who listens: that is written before this replica is gone.
  yield* Effect.addFinalizer(() => machines.written.pipe(Effect.timeout("5 seconds"), Effect.ignore))

  const registration = WorkloadRegistration.of({
    machines: () =>
      [...entries.entries()]
        .map(([key, entry]) => machineOf(entry, machines.find(key)?.connections ?? []))
        .toSorted((a, b) => compare(a.namespace, b.namespace) || compare(a.name, b.name)),
    refused: () => refusals.all
  })
  return Context.make(WorkloadRegistration, registration).pipe(Context.add(ProxyLifecycle, lifecycle))
})

/** How a machine's entry is made, now or when its group appears; undefined request: somebody else makes it. */
const entryMaker =
  (
    request: RegistrationRequest | undefined,
    group: (ns: string, name: string) => WorkloadGroup | undefined
  ): MakeEntry =>
  ({ proxy }) => {
    if (request === undefined) return "it is not there"
    const found = group(request.namespace, request.group)
    return found === undefined
      ? `there is no WorkloadGroup ${request.namespace}/${request.group}`
      : entryFromGroup(request, proxy, found)
  }

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
