import type { GraphNode } from "./node.ts"

/** A node whose items are woken one by one. */
export interface Waker {
  wake(item: Item): void
}

/**
 * What an item read, in order: pairs of a node and a key in one flat array, because there is one such list per
 * item and an object per read would double its memory.
 */
export type Reads = ReadonlyArray<GraphNode | string>

export const noReads: Reads = []

/** The unit of recomputation: one input key of a derived collection. Exists only for items that read something. */
export class Item {
  readonly node: Waker
  readonly key: string
  reads: Reads = noReads
  /** Already in its node's list of items to run. */
  dirty = false
  constructor(node: Waker, key: string) {
    this.node = node
    this.key = key
  }
}

/** Key → the items that read it. Most keys have one reader: a set comes only with the second. */
export type Watchers = Map<string, Item | Set<Item>>

/** Calls `visit` for every read from the position `start` on, up to `end`. */
export function forEachRead(
  reads: Reads,
  start: number,
  end: number,
  visit: (of: GraphNode, key: string) => void
): void {
  for (let i = start; i < end; i += 2) {
    const of = reads[i]
    const key = reads[i + 1]
    if (typeof of === "object" && typeof key === "string") visit(of, key)
  }
}

export function watch(reads: Reads, start: number, end: number, item: Item): void {
  forEachRead(reads, start, end, ({ watchers }, key) => {
    const there = watchers.get(key)
    if (there === undefined) watchers.set(key, item)
    else if (there instanceof Set) there.add(item)
    else if (there !== item) watchers.set(key, new Set([there, item]))
  })
}

export function unwatch(reads: Reads, start: number, end: number, item: Item): void {
  forEachRead(reads, start, end, ({ watchers }, key) => {
    const there = watchers.get(key)
    if (there === item) watchers.delete(key)
    else if (there instanceof Set && there.delete(item) && there.size === 0) watchers.delete(key)
  })
}

/** How many reads from the end of one list are those at the end of the other, in positions; `start` is where both may differ. */
export function commonEnd(a: Reads, b: Reads, start: number): number {
  const most = Math.min(a.length, b.length) - start
  let length = 0
  while (length < most && a[a.length - 1 - length] === b[b.length - 1 - length]) length++
  return length - (length % 2)
}

/** Whether some read of a list from `start` to `end` is among other reads. */
export function isReadIn(reads: Reads, start: number, end: number, others: Reads): boolean {
  for (let i = start; i < end; i += 2) {
    for (let j = 0; j < others.length; j += 2) {
      if (others[j + 1] === reads[i + 1] && others[j] === reads[i]) return true
    }
  }
  return false
}

export function wakeWatchers(watchers: Watchers, key: string): void {
  const there = watchers.get(key)
  if (there === undefined) return
  if (there instanceof Set) for (const item of there) item.node.wake(item)
  else there.node.wake(there)
}
