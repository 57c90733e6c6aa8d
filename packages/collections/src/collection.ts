/** One key that a transaction changed. `undefined` is absence; `old` and `now` are never the same value. */
export interface Change<V> {
  readonly key: string
  readonly old: V | undefined
  readonly now: V | undefined
}

/** A key with its value. */
export type Entry<V> = readonly [key: string, value: V]

/** Decides whether a new value is worth telling: equal ones keep the old identity and stop there. */
export type Equals<V> = (a: V, b: V) => boolean

/**
 * A keyed map of immutable values that changes only by transactions. `undefined` is never a value.
 *
 * Inside a running transaction a source shows what was written; everything derived shows the state before it.
 * The order of `keys`, `values` and `entries` is unspecified: sort, or read through an index, where order matters.
 */
export interface Collection<V> {
  readonly name: string
  readonly size: number
  get(key: string): V | undefined
  keys(): Iterable<string>
  values(): Iterable<V>
  entries(): Iterable<Entry<V>>
  /**
   * Calls `listener` once per transaction that changed this collection, when the whole graph is consistent.
   * Batches applied in order turn each state into the next one. Returns the unsubscribe.
   */
  subscribe(listener: (changes: ReadonlyArray<Change<V>>) => void): () => void
}

/** A collection that is written from outside. Outside a transaction each call is a transaction of its own. */
export interface Source<V> extends Collection<V> {
  set(key: string, value: V): void
  delete(key: string): void
  /** Makes `entries` the whole content: what is missing is deleted, what is equal stays. The last of a key wins. */
  replace(entries: Iterable<Entry<V>>): void
}

/**
 * The union of its inputs. Of inputs with the same key, the one whose collection name sorts first wins,
 * whatever the order of adding; when it goes, the next one shows.
 */
export interface Merged<V> extends Collection<V> {
  /**
   * Takes all entries of `input`, from now on. Returns the removal, which may be called more than once.
   * Fails: when `input` is derived from this merge, or already is an input.
   */
  add(input: Collection<V>): () => void
}

/** The entries of a collection under other keys: any number of entries per key, any number of keys per entry. */
export interface Index<V> {
  readonly name: string
  /** The collection that is indexed: entry keys are its keys. */
  readonly from: Collection<V>
  /** The entries under `key`, sorted by entry key. The array stays the same one while nothing in it changes. */
  lookup(key: string): ReadonlyArray<Entry<V>>
  /** The keys that have entries, in no particular order. */
  keys(): Iterable<string>
}

/** What a derivation may read. */
export type Readable = Collection<unknown> | Index<unknown>
