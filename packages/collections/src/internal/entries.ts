import type { Entry, Equals } from "../collection.ts"

export const noEntries: ReadonlyArray<never> = Object.freeze([])

/** Beyond this length a map beats a linear search. */
const short = 8

/** Finds values by key in distinct entries. */
export function finder<V>(entries: ReadonlyArray<Entry<V>>): (key: string) => V | undefined {
  if (entries.length > short) {
    const byKey = new Map(entries)
    return (key) => byKey.get(key)
  }
  return (key) => {
    for (const entry of entries) if (entry[0] === key) return entry[1]
    return undefined
  }
}

/** One entry per key; the last one wins, as in a Map. */
export function distinct<V>(entries: ReadonlyArray<Entry<V>>): ReadonlyArray<Entry<V>> {
  if (entries.length < 2) return entries
  const byKey = new Map(entries)
  return byKey.size === entries.length ? entries : [...byKey]
}

/** `now` with the old value wherever it is equal; `before` itself when nothing differs but the order. */
export function reuse<V>(
  before: ReadonlyArray<Entry<V>>,
  now: ReadonlyArray<Entry<V>>,
  equals: Equals<V>
): ReadonlyArray<Entry<V>> {
  if (before.length === 0) return now
  const old = finder(before)
  let same = before.length === now.length
  const kept = now.map((entry): Entry<V> => {
    const [key, value] = entry
    const was = old(key)
    if (was === value) return entry
    if (was !== undefined && equals(was, value)) return [key, was]
    same = false
    return entry
  })
  return same ? before : kept
}

export const byKey = (a: Entry<unknown>, b: Entry<unknown>): number =>
  a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0

const isThere = <V>(entry: Entry<V | undefined>): entry is Entry<V> => entry[1] !== undefined

/** The position of the first entry whose key is not below `key`. */
function position(entries: ReadonlyArray<Entry<unknown>>, key: string): number {
  let low = 0
  let high = entries.length
  while (low < high) {
    const middle = (low + high) >>> 1
    const there = entries[middle]
    if (there !== undefined && there[0] < key) low = middle + 1
    else high = middle
  }
  return low
}

/**
 * Sorted entries after edits of distinct keys; `undefined` deletes. Makes one new array however many edits there
 * are: a group of n entries that grows by k costs n + k log k.
 */
export function edited<V>(
  entries: ReadonlyArray<Entry<V>>,
  edits: ReadonlyArray<Entry<V | undefined>>
): ReadonlyArray<Entry<V>> {
  if (entries.length === 0) {
    const added = edits.every(isThere) ? edits : edits.filter(isThere)
    return added.length > 1 ? added.toSorted(byKey) : added
  }
  const [first] = edits
  if (first !== undefined && edits.length === 1) {
    const [key, value] = first
    const at = position(entries, key)
    const found = entries[at]?.[0] === key ? 1 : 0
    return value === undefined ? entries.toSpliced(at, found) : entries.toSpliced(at, found, [key, value])
  }
  const result: Array<Entry<V>> = []
  let next = 0
  for (const [key, value] of edits.toSorted(byKey)) {
    const end = position(entries, key)
    for (; next < end; next++) {
      const entry = entries[next]
      if (entry !== undefined) result.push(entry)
    }
    if (entries[next]?.[0] === key) next++
    if (value !== undefined) result.push([key, value])
  }
  return result.concat(entries.slice(next))
}
