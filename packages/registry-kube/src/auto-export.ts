import type { Collection, Entry, Graph } from "@istiod-lite/collections"
import {
  type ClusterObjects,
  ClusterWriters,
  DiscoveryGraph,
  Leadership,
  MeshConfig,
  type MeshConfigValue,
  meshKey,
  ObjectSource,
  type ObjectWriter,
  type WriteError,
  type WriteProblem
} from "@istiod-lite/model"
import { Duration, Effect, FiberMap, Layer, Queue } from "effect"
import { type AutoExportOptions, type Unexported, unexportedServices } from "./unexported-services.ts"

/**
 * Makes a ServiceExport for every Service of every cluster that may leave it, where the mesh says so (`exportsServices`,
 * Istio's ENABLE_MCS_AUTO_EXPORT; what it says at the start counts). The leader alone writes. A ServiceExport goes with its
 * Service, which owns it, by Kubernetes' garbage collection.
 *
 * Istio looks at a Service once, when it appears. Here an export that is missing is made whenever it is missing, so
 * deleting one does not keep a Service at home: the mesh configuration does (`serviceSettings`, `clusterLocal: true`).
 */
export const layerAutoExport = (
  options: AutoExportOptions
): Layer.Layer<never, never, ClusterWriters | DiscoveryGraph | Leadership | MeshConfig | ObjectSource> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const mesh = yield* MeshConfig
      if (mesh.get(meshKey)?.exportsServices !== true) return
      const graph = yield* DiscoveryGraph
      const source = yield* ObjectSource
      const writers = yield* ClusterWriters
      const leadership = yield* Leadership
      const exporting = exportAll({ ...options, graph, mesh, writers }, source)
      yield* Effect.forkScoped(leadership.whileLeading(Effect.scoped(exporting)))
    })
  )

interface ExportContext extends AutoExportOptions {
  readonly graph: Graph
  readonly mesh: Collection<MeshConfigValue>
  readonly writers: ClusterWriters["Service"]
}

/** Between looks at what could not be written, as long as kinds that are absent are looked for again. */
const lookAgain = Duration.seconds(10)

/** Writes at a time and cluster: one that gets its first exports may have thousands of Services. */
const concurrency = 8

/** Exports for as long as it runs, each cluster by itself, so that nobody waits for one that does not answer. */
const exportAll = Effect.fnUntraced(function* (
  context: ExportContext,
  { clusters }: Pick<ObjectSource["Service"], "clusters">
) {
  const loops = yield* FiberMap.make<string>()
  const changed = yield* Queue.unbounded<string>()
  const unsubscribe = clusters.subscribe((changes) => {
    for (const { key } of changes) Queue.offerUnsafe(changed, key)
  })
  yield* Effect.addFinalizer(() => Effect.sync(unsubscribe))
  const follow = (id: string): Effect.Effect<unknown> => {
    const cluster = clusters.get(id)
    if (cluster === undefined) return FiberMap.remove(loops, id)
    const exporting = Effect.scoped(exportCluster(context, cluster)).pipe(
      Effect.tapDefect((defect) => Effect.logError(`Cannot export services of cluster ${id}`, defect))
    )
    return FiberMap.run(loops, id, exporting)
  }
  yield* Effect.forEach([...clusters.keys()], follow, { discard: true })
  return yield* Effect.forever(Effect.flatMap(Queue.take(changed), follow))
})

/** Exports the Services of a cluster, until another state of it takes its place. */
const exportCluster = Effect.fnUntraced(function* (context: ExportContext, cluster: ClusterObjects) {
  const { graph, mesh, writers } = context
  const { dispose, value: unexported } = graph.scope(() => unexportedServices(graph, cluster, mesh, context))
  yield* Effect.addFinalizer(() => Effect.sync(dispose))
  /** what is being written, or was and is not seen yet: key → uid of the Service */
  const written = new Map<string, string>()
  const changed = yield* Queue.sliding<void>(1)
  unexported.subscribe((changes) => {
    for (const { key, now } of changes) if (now === undefined) written.delete(key)
    Queue.offerUnsafe(changed, undefined)
  })

  let turn = 0
  /** told once: another Service is tried each time, and the reason is mostly the same */
  let told: WriteProblem | undefined
  const tell = (failure: WriteError | undefined, count: number): Effect.Effect<void> => {
    const isNews = failure?.problem !== told
    told = failure?.problem
    if (failure === undefined)
      return Effect.logInfo(`Exported ${count} services of cluster ${cluster.cluster}`)
    const effect = `What is not exported of cluster ${cluster.cluster} stays so until it can be written.`
    return isNews ? Effect.logWarning(`${failure.message}. ${effect}`) : Effect.void
  }
  const round = Effect.suspend(() => {
    const writer = writers.of(cluster.cluster)
    const due = [...unexported.entries()].filter(([key, { uid }]) => written.get(key) !== uid)
    if (writer === undefined || due.length === 0) return Effect.void
    const write = ([key, service]: Entry<Unexported>) => {
      // Before it is done, for it may be seen before it is answered.
      written.set(key, service.uid)
      return Effect.tap(writeExport(writer, service), (failure) =>
        failure === undefined ? Effect.void : Effect.sync(() => written.delete(key))
      )
    }
    return Effect.flatMap(writeInTurn(due, turn++, write), (failure) => tell(failure, due.length))
  })
  return yield* Effect.forever(
    Effect.andThen(round, Effect.race(Queue.take(changed), Effect.sleep(lookAgain)))
  )
})

/**
 * Writes one, and if that succeeds all others: a server that has no ServiceExports, or lets nobody write them, is not asked
 * for each. Another one goes first each time, for it may be alone in failing, in a namespace that is being deleted.
 */
const writeInTurn = <A>(
  due: ReadonlyArray<A>,
  turn: number,
  write: (one: A) => Effect.Effect<WriteError | undefined>
): Effect.Effect<WriteError | undefined> =>
  Effect.gen(function* () {
    const first = turn % due.length
    for (const one of due.slice(first, first + 1)) {
      const failure = yield* write(one)
      if (failure !== undefined) return failure
    }
    const failures = yield* Effect.forEach(due.toSpliced(first, 1), write, { concurrency })
    return failures.find((one) => one !== undefined)
  })

/** Gives why it is not there now. */
const writeExport = (
  writer: ObjectWriter["Service"],
  { name, namespace, uid }: Unexported
): Effect.Effect<WriteError | undefined> =>
  writer
    .create({
      apiVersion: "multicluster.x-k8s.io/v1alpha1",
      kind: "ServiceExport",
      metadata: { name, namespace, ownerReferences: [{ apiVersion: "v1", kind: "Service", name, uid }] }
    })
    .pipe(
      Effect.as(undefined),
      Effect.catch((error) => Effect.succeed(error.problem === "exists" ? undefined : error))
    )
