import type { Json } from "@istiod-lite/registry-aggregate"
import { Console, Effect, Schema } from "effect"
import { WrongUse } from "../query/query-error.ts"

export type OutputFormat = "table" | "json" | "yaml"

/** How an answer is shown to people: what of it is read, and the text. */
export interface Shown<A> {
  readonly schema: Schema.Decoder<A>
  readonly table: (answer: A) => string
}

/** Prints an answer on standard output. */
export const print = <A>(
  answer: Json,
  format: OutputFormat,
  shown: Shown<A>
): Effect.Effect<void, WrongUse> => Effect.flatMap(textOf(answer, format, shown), Console.log)

const textOf = <A>(
  answer: Json,
  format: OutputFormat,
  { schema, table }: Shown<A>
): Effect.Effect<string, WrongUse> => {
  if (format === "json") return Effect.succeed(JSON.stringify(answer, undefined, 2))
  if (format === "yaml") {
    return Effect.map(
      Effect.promise(() => import("yaml")),
      ({ stringify }) => stringify(answer, { aliasDuplicateObjects: false }).trimEnd()
    )
  }
  return Schema.decodeUnknownEffect(schema)(answer).pipe(
    Effect.map(table),
    Effect.mapError(({ message }) => new WrongUse({ message: `${unknownForm} ${message}` }))
  )
}

const unknownForm = "The answer has not the form that this version knows; -o json shows it."
