import { DiscoveryGraph, MeshConfig, ObjectSource } from "@istiod-lite/model"
import { Clock, Context, Duration, Effect, Layer, Queue } from "effect"
import { FileCollections, type FileCollectionsOptions } from "./file-collections.ts"
import { SourceFaults } from "./source-faults.ts"
import { watchPaths } from "./watch-paths.ts"

/** Which files, and how they are watched. */
export interface FileSourceOptions extends FileCollectionsOptions {
  /** Whether later edits count. Default: true. */
  readonly watch?: boolean | undefined
  /** Edits closer together than this are one transaction. Default: `defaultQuietTime`. */
  readonly quietTime?: Duration.Input | undefined
}

/** An editor's or a checkout's many writes are over in less, and nobody waits for it. */
export const defaultQuietTime = Duration.millis(50)

/** Under an endless stream of edits, they count after this many quiet times all the same. */
const mostQuietTimes = 20

/**
 * The objects and mesh configuration that files declare, as collections. Watched: edits become transactions, faulty
 * ones keep the last good state of what they break and show in `SourceFaults`. Building the layer reads everything
 * once; it never fails, since whatever is wrong with the files may be put right while it runs.
 */
export const layerFileSource = (
  options: FileSourceOptions
): Layer.Layer<ObjectSource | MeshConfig | SourceFaults, never, DiscoveryGraph> =>
  Layer.effectContext(
    Effect.gen(function* () {
      const graph = yield* DiscoveryGraph
      const source = new FileCollections(graph, options)
      const edits = yield* Queue.sliding<void>(1)
      if (options.watch ?? true) {
        // Watching comes before reading, so that no edit falls between the two.
        yield* Effect.acquireRelease(
          Effect.promise(() => watchPaths(source.paths, () => void Queue.offerUnsafe(edits, undefined))),
          (watcher) => Effect.promise(() => watcher.close())
        )
      }
      const refresh = refreshing(source, edits)
      yield* refresh
      yield* Effect.forkScoped(
        Effect.forever(Effect.andThen(untilQuiet(edits, options.quietTime ?? defaultQuietTime), refresh))
      )
      return Context.make(ObjectSource, source.store).pipe(
        Context.add(MeshConfig, source.mesh),
        Context.add(SourceFaults, source.faults)
      )
    })
  )

/** Brings the collections up to date; the errors of derivations are not the source's, and do not end it. */
const refreshing = (source: FileCollections, edits: Queue.Queue<void>): Effect.Effect<void> =>
  Clock.currentTimeMillis.pipe(
    Effect.flatMap((now) => Effect.promise(() => source.refresh(now))),
    Effect.tap((unstable) => (unstable ? Queue.offer(edits, undefined) : Effect.void)),
    Effect.asVoid,
    Effect.catchCause((cause) => Effect.logError("Cannot apply the edited files", cause))
  )

/** Waits for an edit, then until none has come for the quiet time. */
const untilQuiet = (edits: Queue.Queue<void>, quietTime: Duration.Input): Effect.Effect<void> =>
  Effect.gen(function* () {
    yield* Queue.take(edits)
    for (let waited = 0; waited < mostQuietTimes; waited++) {
      yield* Effect.sleep(quietTime)
      const more = yield* Queue.clear(edits)
      if (more.length === 0) return
    }
  })
