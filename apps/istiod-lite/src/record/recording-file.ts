import { Data, Effect, type Scope } from "effect"
import { type FileHandle, open } from "node:fs/promises"
import { lineEnd } from "./line.ts"

/** A recording cannot be opened or read. */
export class RecordingError extends Data.TaggedError("RecordingError")<{ readonly message: string }> {}

/** A recording that is appended to. */
export interface RecordingFile {
  /** Appends whole lines. A failed attempt leaves nothing that counts: the next one writes over it. */
  readonly append: (lines: Buffer) => Effect.Effect<void, RecordingError>
}

/**
 * Opens a recording, or makes it, readable by its owner only. What is there is never changed: if it ends within a line,
 * a killed process wrote it, and the next line begins on its own.
 */
export const openRecording = (path: string): Effect.Effect<RecordingFile, RecordingError, Scope.Scope> =>
  Effect.gen(function* () {
    const refuse = refusal(path)
    const file = yield* Effect.acquireRelease(
      // "a+" makes the file; writes would ignore positions, so it is opened again.
      Effect.tryPromise({
        try: () => open(path, "a+", 0o600).then((made) => made.close()),
        catch: refuse
      }).pipe(Effect.andThen(Effect.tryPromise({ try: () => open(path, "r+"), catch: refuse }))),
      (handle) => Effect.promise(() => handle.close())
    )
    let end = yield* Effect.tryPromise({ try: () => endOf(file), catch: refuse })
    return {
      append: (lines) =>
        Effect.tryPromise({ try: () => writeAll(file, lines, end), catch: refuse }).pipe(
          Effect.andThen(Effect.sync(() => void (end += lines.length))),
          // A write goes on when nobody waits for it; two at one place must not happen.
          Effect.uninterruptible
        )
    }
  })

const refusal =
  (path: string) =>
  (cause: unknown): RecordingError =>
    new RecordingError({ message: `Cannot record to ${path}: ${reasonOf(cause)}` })

/** Where the next line goes: a torn last line is ended. */
const endOf = async (file: FileHandle): Promise<number> => {
  const { size } = await file.stat()
  if (size === 0) return 0
  const last = Buffer.alloc(1)
  await file.read(last, 0, 1, size - 1)
  if (last[0] === lineEnd) return size
  await writeAll(file, Buffer.of(lineEnd), size)
  return size + 1
}

const writeAll = async (file: FileHandle, bytes: Buffer, position: number): Promise<void> => {
  for (let done = 0; done < bytes.length;) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, position + done)
    done += bytesWritten
  }
}

/** What the system says, without our part of it. */
export const reasonOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))
