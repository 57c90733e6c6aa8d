import type { Readable } from "./collection.ts"

/**
 * One thing that a derived item was computed from: `from` is the input entry that it exists for, `get` and
 * `lookup` are its tracked reads. To walk further up, ask for the inputs of `key` in `of`; when `of` is an index,
 * of each entry of its lookup in the collection that it indexes.
 */
export interface Input {
  readonly kind: "from" | "get" | "lookup"
  /** The name of `of`. */
  readonly collection: string
  readonly key: string
  /** Whether there is something under the key now. Reads that found nothing matter too: their arrival recomputes. */
  readonly present: boolean
  readonly of: Readable
}
