import type { DiscoveryGraph, ObjectSource, ServiceEntryStatuses } from "@istiod-lite/model"
import { type AllocatorState, layerStatusAllocator } from "@istiod-lite/registry-serviceentry"
import { Data, Effect, Layer, Queue, Schema } from "effect"
import { readFile, rename, writeFile } from "node:fs/promises"

const Pool = Schema.Struct({ next: Schema.String, used: Schema.Record(Schema.String, Schema.String) })
const State = Schema.Struct({
  ipv4: Pool,
  ipv6: Pool,
  statuses: Schema.Record(
    Schema.String,
    Schema.Array(Schema.Struct({ host: Schema.String, value: Schema.String }))
  )
})
const decodeState = Schema.decodeUnknownEffect(Schema.fromJsonString(State))

/** The file of `--address-state` cannot be used. Starting without it would give hosts other addresses, so nothing starts. */
export class AddressStateError extends Data.TaggedError("AddressStateError")<{
  readonly file: string
  readonly reason: string
}> {
  override get message(): string {
    return (
      `Cannot read the automatic addresses in ${this.file}: ${this.reason}. ` +
      "Restore the file, or move it away to have all addresses given anew."
    )
  }
}

/** What an earlier run left in `file`; undefined if there is no such file yet. */
export const readAddressState = (
  file: string
): Effect.Effect<AllocatorState | undefined, AddressStateError> =>
  Effect.tryPromise(() => readFile(file, "utf8")).pipe(
    Effect.flatMap(decodeState),
    Effect.catch((error) => {
      const { cause } = error
      const code = cause instanceof Error && "code" in cause ? cause.code : undefined
      if (code === "ENOENT") return Effect.succeed(undefined)
      const reason = cause instanceof Error ? cause.message : error.message
      return Effect.fail(new AddressStateError({ file, reason }))
    })
  )

/** Puts the state in the place of the old one as a whole, so that a crash leaves one of the two. */
const writeAddressState = (file: string, state: AllocatorState): Effect.Effect<void> =>
  Effect.tryPromise(async () => {
    const beside = `${file}.${process.pid}.tmp`
    await writeFile(beside, `${JSON.stringify(state, undefined, 2)}\n`)
    await rename(beside, file)
  }).pipe(
    Effect.catch(({ cause }) =>
      Effect.logError(
        `Cannot keep the automatic addresses in ${file}: ${String(cause)}. They hold until this process ends.`
      )
    )
  )

/**
 * The allocator of automatic addresses where no API server keeps them: what it gave is kept in `file`, so that a
 * restart changes no address. A query reads the file and leaves it as it is.
 */
export const layerAddressAllocator = (
  file: string,
  mayWrite: boolean
): Layer.Layer<ServiceEntryStatuses, AddressStateError, DiscoveryGraph | ObjectSource> =>
  Layer.unwrap(
    Effect.gen(function* () {
      const state = yield* readAddressState(file)
      const known = state === undefined ? {} : { state }
      if (!mayWrite) return layerStatusAllocator(known)
      // Only the newest state matters; the one that is still waiting at the end is written then.
      const newest = yield* Queue.sliding<AllocatorState>(1)
      const writeNext = Queue.take(newest).pipe(
        Effect.flatMap((next) => writeAddressState(file, next)),
        Effect.uninterruptible
      )
      yield* Effect.addFinalizer(() =>
        Effect.flatMap(Queue.size(newest), (waiting) => (waiting > 0 ? writeNext : Effect.void))
      )
      yield* Effect.forkScoped(Queue.peek(newest).pipe(Effect.andThen(writeNext), Effect.forever))
      return layerStatusAllocator({
        ...known,
        onChange: (next) => {
          Queue.offerUnsafe(newest, next)
        }
      })
    })
  )
