import { Effect, Pool, type Scope } from "effect"
import { Worker } from "node:worker_threads"
import type { FailedSeed, SeedRange } from "./simulate-seeds.ts"

/** Seeds that a thread is sent at a time: enough that messages cost nothing, few enough for progress to be seen. */
const chunkSize = 10

export interface PoolOptions {
  /** threads */
  readonly workers: number
  /** called after each chunk, in no particular order of seeds */
  readonly progress: (played: number, failures: ReadonlyArray<FailedSeed>) => void
}

/** Plays a range of seeds on several threads. */
export const simulateInWorkers = (
  range: SeedRange,
  { progress, workers }: PoolOptions
): Effect.Effect<void> =>
  Effect.scoped(
    Effect.gen(function* () {
      const pool = yield* Pool.make({ acquire: startWorker, size: workers })
      const playChunk = (chunk: SeedRange) =>
        Effect.scoped(
          Pool.get(pool).pipe(
            Effect.flatMap((worker) => play(worker, chunk)),
            Effect.tap((failures) => Effect.sync(() => progress(chunk.count, failures)))
          )
        )
      yield* Effect.forEach(chunksOf(range), playChunk, { concurrency: workers, discard: true })
    })
  )

const chunksOf = ({ count, from }: SeedRange): ReadonlyArray<SeedRange> =>
  Array.from({ length: Math.ceil(count / chunkSize) }, (_, i) => ({
    from: from + i * chunkSize,
    count: Math.min(chunkSize, count - i * chunkSize)
  }))

const startWorker: Effect.Effect<Worker, never, Scope.Scope> = Effect.acquireRelease(
  Effect.sync(() => new Worker(new URL("worker.ts", import.meta.url))),
  (worker) => Effect.promise(() => worker.terminate())
)

/** A thread that dies is a defect of the simulation, not a finding. */
const play = (worker: Worker, range: SeedRange): Effect.Effect<ReadonlyArray<FailedSeed>> =>
  Effect.callback((resume) => {
    const onMessage = (failures: ReadonlyArray<FailedSeed>): void => {
      worker.off("error", onError)
      resume(Effect.succeed(failures))
    }
    const onError = (error: unknown): void => {
      worker.off("message", onMessage)
      resume(Effect.die(error))
    }
    worker.once("message", onMessage)
    worker.once("error", onError)
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is no window
    worker.postMessage(range)
  })
