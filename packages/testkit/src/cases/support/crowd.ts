import { Effect, type Scope } from "effect"
import { Worker } from "node:worker_threads"

/** Clients that connect all at once, each for all of these types. */
export interface CrowdPlan {
  readonly port: number
  readonly clients: number
  /** how many clients share a connection, as through a proxy in between */
  readonly perConnection: number
  readonly subscriptions: ReadonlyArray<{ readonly typeUrl: string; readonly names: ReadonlyArray<string> }>
}

/** What a crowd tells: `served` when each client has every type, `updated` when each has got a response since then. */
export type CrowdNews = "served" | "updated"

/** A crowd on a thread of its own, so that its work is not the server's. */
export interface Crowd {
  /** Waits for the next news. */
  readonly next: (news: CrowdNews) => Effect.Effect<void>
}

export const joinCrowd = (plan: CrowdPlan): Effect.Effect<Crowd, never, Scope.Scope> =>
  Effect.gen(function* () {
    const worker = yield* Effect.acquireRelease(
      Effect.sync(() => new Worker(new URL("crowd-worker.ts", import.meta.url), { workerData: plan })),
      (worker) => Effect.promise(() => worker.terminate())
    )
    const told = new Set<unknown>()
    worker.on("message", (news) => told.add(news))
    return {
      next: (news) =>
        Effect.callback<void>((resume) => {
          const look = (): void => {
            if (!told.has(news)) return
            worker.off("message", look)
            resume(Effect.void)
          }
          worker.on("message", look)
          look()
        })
    }
  })
