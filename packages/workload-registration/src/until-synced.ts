import type { Graph } from "@istiod-lite/collections"
import { Effect } from "effect"

/** Waits until the objects have been read: before that a group only seems to be missing. */
export const untilSynced = (graph: Graph, synced: () => boolean): Effect.Effect<void> =>
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
