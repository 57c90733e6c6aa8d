import { Effect, Schedule } from "effect"
import { counted } from "../tables/table.ts"
import { framesOf } from "./frame.ts"
import { encodeLine } from "./line.ts"
import type { PendingTransactions } from "./pending-transactions.ts"
import type { RecordingError, RecordingFile } from "./recording-file.ts"
import type { Transaction } from "./transaction.ts"

/** Appends one transaction, a large one piece by piece. */
export const write = (file: RecordingFile, transaction: Transaction): Effect.Effect<void, RecordingError> =>
  Effect.forEach(framesOf(transaction), (frame) => file.append(encodeLine(frame)), { discard: true })

/** Several small transactions are one write. */
const writeBatch = (
  file: RecordingFile,
  batch: readonly [Transaction, ...ReadonlyArray<Transaction>]
): Effect.Effect<void, RecordingError> =>
  batch.length === 1
    ? write(file, batch[0])
    : Effect.suspend(() =>
        file.append(Buffer.concat(batch.flatMap((transaction) => [...framesOf(transaction)].map(encodeLine))))
      )

/** Appends all that waits. What fails still waits. */
export const writePending = (
  file: RecordingFile,
  pending: PendingTransactions
): Effect.Effect<void, RecordingError> =>
  Effect.gen(function* () {
    for (
      let [first, ...others] = pending.batch();
      first !== undefined;
      [first, ...others] = pending.batch()
    ) {
      // Not interrupted between the two: what is written does not wait any more.
      yield* Effect.uninterruptible(Effect.map(writeBatch(file, [first, ...others]), () => pending.written()))
    }
    const merged = pending.takeMerged()
    if (merged > 0)
      yield* Effect.logWarning(`Recording fell behind: ${counted(merged, "transaction")} merged into others`)
  })

/** A full disk may be emptied: tried for ever, ever more seldom; told when it begins and when it is over. */
export const persistently = (writing: Effect.Effect<void, RecordingError>): Effect.Effect<void> =>
  Effect.suspend(() => {
    let failing = false
    const told = Effect.tapError(writing, ({ message }) => {
      if (failing) return Effect.void
      failing = true
      return Effect.logError(`${message}; it is tried again, and what happens is kept`)
    })
    return Effect.retry(told, retries).pipe(
      Effect.andThen(Effect.suspend(() => (failing ? Effect.logInfo("Recording goes on") : Effect.void))),
      Effect.orDie
    )
  })

const retries = Schedule.min([Schedule.exponential("100 millis"), Schedule.spaced("10 seconds")])
