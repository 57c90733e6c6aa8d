import type { Collection, Entry, Index } from "./collection.ts"

/**
 * What a pure query may do with collections. The reader that a derivation is given tracks what it reads;
 * `untracked` does not, for queries and dumps. One query serves both when it takes a `Reader`.
 */
export interface Reader {
  get<V>(from: Collection<V>, key: string): V | undefined
  lookup<V>(index: Index<V>, key: string): ReadonlyArray<Entry<V>>
}

/** The reader of one item of a derived collection. Valid only while its function runs. */
export interface ItemReader<V> extends Reader {
  /**
   * This item's own output of its last run under an output key: to reuse parts of it, and as the one deliberate
   * memory of a derivation. `undefined` when there was none, or when the last run threw.
   */
  previous(key: string): V | undefined
}

/** Reads without tracking: never use it inside a derivation, which would not run again on a change. */
export const untracked: Reader = {
  get: (from, key) => from.get(key),
  lookup: (index, key) => index.lookup(key)
}
