import { type Graph, type Reader, untracked } from "@istiod-lite/collections"

interface ReadAgain {
  readonly again: (read: Reader) => unknown
  readonly result: unknown
}

interface Remembered<V> {
  readonly reads: ReadonlyArray<ReadAgain>
  readonly value: V
  /** of the graph, when the value was last found to stand */
  revision: number
}

/** Options of `rememberedQuery`. */
export interface RememberedQueryOptions<V> {
  /** keys kept; the one computed longest ago goes first */
  readonly capacity: number
  /** an equal new value keeps the old identity */
  readonly equals: (a: V, b: V) => boolean
}

/**
 * A keyed query over collections that is computed again only after something it read has changed.
 *
 * For values that are wanted on demand and under keys that nobody can list beforehand, which a derived collection
 * cannot hold. Nothing invalidates it: each call repeats the reads of the last run, and the value stands if they give
 * the same results, by identity. The caller's reader sees those reads, so a derivation that asks is woken as if it
 * had computed the value itself. A caller that is not to be woken is spared them while the graph stays as it is.
 */
export const rememberedQuery = <V>(
  graph: Pick<Graph, "revision">,
  compute: (read: Reader, key: string) => V,
  { capacity, equals }: RememberedQueryOptions<V>
): ((read: Reader, key: string) => V) => {
  const known = new Map<string, Remembered<V>>()
  return (read, key) => {
    const { revision } = graph
    const last = known.get(key)
    if (last !== undefined) {
      if (read === untracked && last.revision === revision) return last.value
      if (last.reads.every(({ again, result }) => again(read) === result)) {
        last.revision = revision
        return last.value
      }
    }
    const recorder = recordingReader(read)
    const value = compute(recorder.reader, key)
    const kept = last !== undefined && equals(last.value, value) ? last.value : value
    known.delete(key)
    known.set(key, { reads: recorder.reads, value: kept, revision })
    const [oldest] = known.keys()
    if (known.size > capacity && oldest !== undefined) known.delete(oldest)
    return kept
  }
}

const recordingReader = (
  read: Reader
): { readonly reader: Reader; readonly reads: ReadonlyArray<ReadAgain> } => {
  const reads: Array<ReadAgain> = []
  const record = <R>(again: (read: Reader) => R): R => {
    const result = again(read)
    reads.push({ again, result })
    return result
  }
  return {
    reads,
    reader: {
      get: (from, key) => record((read) => read.get(from, key)),
      lookup: (index, key) => record((read) => read.lookup(index, key))
    }
  }
}
