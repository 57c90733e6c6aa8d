import { Effect } from "effect"
import { WrongUse } from "../query/query-error.ts"

/** The documents of all files, as one text; `-` is standard input. */
export const readChangeFiles = (paths: ReadonlyArray<string>): Effect.Effect<string, WrongUse> =>
  Effect.map(Effect.forEach(paths, readText), (texts) => texts.join("\n---\n"))

const readText = (path: string): Effect.Effect<string, WrongUse> =>
  Effect.gen(function* () {
    const { readFile } = yield* Effect.promise(() => import("node:fs/promises"))
    const { text } = yield* Effect.promise(() => import("node:stream/consumers"))
    return yield* Effect.tryPromise({
      try: () => (path === "-" ? text(process.stdin) : readFile(path, "utf8")),
      catch: (cause) =>
        new WrongUse({
          message: `Cannot read the change ${path}: ${cause instanceof Error ? cause.message : String(cause)}`
        })
    })
  })
