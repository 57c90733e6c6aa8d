/** Checks for tests that use collections: never part of a published package. */
import { deepStrictEqual, notStrictEqual } from "node:assert/strict"
import type { Collection } from "./src/collection.ts"

/** The content in the order of keys: to compare with another collection's. */
export const sorted = <V>(collection: Collection<V>): ReadonlyArray<readonly [string, V]> =>
  Array.from(collection.entries()).toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))

/**
 * Watches a collection. The returned check fails unless the batches published since then, applied in order to the
 * state of then, give the state of now; each batch is checked when it comes: one change per key, from the value
 * that was there to a different one.
 */
export function assertReplays<V>(collection: Collection<V>): () => void {
  const replayed = new Map(collection.entries())
  collection.subscribe((changes) => {
    deepStrictEqual(
      new Set(changes.map(({ key }) => key)).size,
      changes.length,
      `${collection.name}: keys repeat`
    )
    for (const { key, old, now } of changes) {
      notStrictEqual(old, now, `${collection.name} "${key}": no change`)
      deepStrictEqual(old, replayed.get(key), `${collection.name} "${key}": not what was there`)
      if (now === undefined) replayed.delete(key)
      else replayed.set(key, now)
    }
  })
  return () => deepStrictEqual(new Map(collection.entries()), replayed, collection.name)
}
