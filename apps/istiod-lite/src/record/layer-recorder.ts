import { DiscoveryGraph, type MeshConfig, type ObjectSource } from "@istiod-lite/model"
import { Clock, Effect, Latch, Layer } from "effect"
import { makeInputs, readInputs } from "../compose/inputs.ts"
import { watchInputs } from "../compose/watch-inputs.ts"
import { counted } from "../tables/table.ts"
import { PendingTransactions } from "./pending-transactions.ts"
import { openRecording, type RecordingError } from "./recording-file.ts"
import { formatVersion, type Transaction } from "./transaction.ts"
import { persistently, write, writePending } from "./write-behind.ts"

/** How many transactions may wait to be written before they are merged. */
const mostPending = 1000

/**
 * Appends every transaction of the inputs to a file, the state at the start first. Nothing waits for it: transactions
 * are noted, and written behind. What is noted at shutdown is written before the layer is gone.
 */
export const layerRecorder = (
  path: string
): Layer.Layer<never, RecordingError, DiscoveryGraph | ObjectSource | MeshConfig> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const graph = yield* DiscoveryGraph
      const inputs = yield* makeInputs
      const clock = yield* Clock.Clock
      const file = yield* openRecording(path)
      const pending = new PendingTransactions(mostPending)
      const something = Latch.makeUnsafe(false)

      // The state and what is listened for are of one moment: nothing happens between the two.
      const start: Transaction = {
        time: clock.currentTimeMillisUnsafe(),
        start: {
          version: formatVersion,
          configCluster: inputs.source.configCluster,
          allocates: inputs.statuses !== undefined
        },
        changes: readInputs(inputs)
      }
      const unsubscribe = watchInputs(graph, inputs, (changes) => {
        pending.add(clock.currentTimeMillisUnsafe(), changes)
        Latch.openUnsafe(something)
      })
      const last = writePending(file, pending).pipe(
        Effect.catch(({ message }) =>
          Effect.logError(`${message}; ${counted(pending.size, "transaction")} not recorded`)
        )
      )
      // Added before the writer starts, so that it runs when the writer has ended.
      yield* Effect.addFinalizer(() => Effect.andThen(Effect.sync(unsubscribe), last))
      yield* write(file, start)
      yield* Effect.suspend(() => {
        Latch.closeUnsafe(something)
        return persistently(writePending(file, pending))
      }).pipe(Effect.andThen(Latch.await(something)), Effect.forever, Effect.forkScoped)
      yield* Effect.logInfo(`Recording to ${path}`)
    })
  )
