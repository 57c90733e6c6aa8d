import { Schema } from "effect"

/** Beside what a registry told that is known only as it was; `missing`: of what it would tell, nothing is known. */
export const StaleAnswer = Schema.Struct({
  registry: Schema.String,
  since: Schema.String,
  because: Schema.String,
  missing: Schema.optionalKey(Schema.Boolean)
})
export type StaleAnswer = typeof StaleAnswer.Type

/** One line per registry, however often it is noted: `Stale since …, as last known: Kubernetes/east: cannot read …`. */
export const staleLines = (notes: ReadonlyArray<StaleAnswer>): ReadonlyArray<string> =>
  [...new Map(notes.map((note) => [note.registry, note])).values()].map(
    ({ because, missing, registry, since }) =>
      `${missing === true ? "Missing" : "Stale"} since ${since}${missing === true ? "" : ", as last known"}: ${registry}: ${because}`
  )

/** The text, then the stale registries. */
export const withStaleLines = (text: string, notes: ReadonlyArray<StaleAnswer>): string => {
  const lines = staleLines(notes)
  return lines.length === 0 ? text : `${text}\n\n${lines.join("\n")}`
}

/** Makes the table of an answer tell the stale registries that stand beside it. */
export const noted =
  <A extends { readonly stale?: ReadonlyArray<StaleAnswer> }>(table: (answer: A) => string) =>
  (answer: A): string =>
    withStaleLines(table(answer), answer.stale ?? [])

/** The field of answers that draw on all registries. */
export const staleField = { stale: Schema.optionalKey(Schema.Array(StaleAnswer)) }
