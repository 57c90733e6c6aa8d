import type { Graph } from "@istiod-lite/collections"
import { ObjectSource, Registries } from "@istiod-lite/model"
import { Effect } from "effect"

/** What has not been read completely yet, in words; empty when everything is. */
export type Unsynced = () => ReadonlyArray<string>

export const makeUnsynced: Effect.Effect<Unsynced, never, ObjectSource | Registries> = Effect.gen(
  function* () {
    const source = yield* ObjectSource
    const registries = yield* Registries
    return () => [
      ...[...source.clusters.values()]
        .filter((one) => !one.synced())
        .map(({ cluster }) => `cluster ${cluster}`),
      ...[...registries.all.values()].filter((one) => !one.synced()).map(({ id }) => `registry ${id}`),
      ...(source.synced() ? [] : ["the object source"])
    ]
  }
)

/** Waits until nothing is missing any more. */
export const untilSynced = (graph: Graph, unsynced: Unsynced): Effect.Effect<void> =>
  Effect.callback((resume) => {
    const look = () => {
      if (unsynced().length === 0) resume(Effect.void)
    }
    const unsubscribe = graph.onCommit(look)
    look()
    return Effect.sync(unsubscribe)
  })
