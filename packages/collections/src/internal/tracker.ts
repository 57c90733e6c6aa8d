import type { Collection, Entry, Index, Readable } from "../collection.ts"
import type { ItemReader } from "../reader.ts"
import { GraphNode } from "./node.ts"
import { commonEnd, isReadIn, Item, noReads, unwatch, watch, type Reads, type Waker } from "./watchers.ts"

/** So many positions are looked up sooner than what was read is watched again. */
const few = 16

/**
 * The reader that the function of a derived collection is given, one per node. It walks along the reads of the
 * item's last run with a cursor: a run that reads the same as before touches no map at all, and one that leaves the path
 * pays for unwatching and watching up to where both paths end alike.
 */
export class Tracker<V> implements ItemReader<V> {
  readonly #node: GraphNode & Waker
  readonly #previous: (itemKey: string, key: string) => V | undefined
  #itemKey: string | undefined
  #item: Item | undefined
  #reads: Reads = noReads
  #cursor = 0
  #fresh: Array<GraphNode | string> | undefined

  /** `previous` finds an item's output of the last run. */
  constructor(node: GraphNode & Waker, previous: (itemKey: string, key: string) => V | undefined) {
    this.#node = node
    this.#previous = previous
  }

  begin(itemKey: string, item: Item | undefined): void {
    this.#itemKey = itemKey
    this.#item = item
    this.#reads = item?.reads ?? noReads
    this.#cursor = 0
    this.#fresh = undefined
  }

  /** Settles what the item watches. Returns the item, or `undefined` when it read nothing. */
  end(): Item | undefined {
    const item = this.#item
    const kept = this.#settle(item)
    this.#itemKey = undefined
    this.#item = undefined
    this.#reads = noReads
    this.#fresh = undefined
    return kept
  }

  #settle(item: Item | undefined): Item | undefined {
    const before = this.#reads
    const cursor = this.#cursor
    if (this.#itemKey === undefined || (this.#fresh === undefined && cursor === before.length)) return item
    const now = before.slice(0, cursor).concat(this.#fresh ?? noReads)
    const end = commonEnd(before, now, cursor)
    const gone = before.length - end
    if (item !== undefined) unwatch(before, cursor, gone, item)
    if (now.length === 0) return undefined
    const kept = item ?? new Item(this.#node, this.#itemKey)
    kept.reads = now
    // What was just unwatched may be read elsewhere on the new path too: then watch all of it again.
    if (gone - cursor > few || isReadIn(before, cursor, gone, now)) watch(now, 0, now.length, kept)
    else watch(now, cursor, now.length - end, kept)
    return kept
  }

  get<T>(from: Collection<T>, key: string): T | undefined {
    this.#track(from, key)
    return from.get(key)
  }

  lookup<T>(index: Index<T>, key: string): ReadonlyArray<Entry<T>> {
    this.#track(index, key)
    return index.lookup(key)
  }

  previous(key: string): V | undefined {
    return this.#previous(this.#running("previous output"), key)
  }

  #running(what: string): string {
    if (this.#itemKey !== undefined) return this.#itemKey
    throw new Error(`Cannot read ${what} in ${this.#node.name}: its function is not running`)
  }

  #track(of: Readable, key: string): void {
    this.#running(of.name)
    const reads: ReadonlyArray<unknown> = this.#reads
    if (this.#fresh === undefined && reads[this.#cursor] === of && reads[this.#cursor + 1] === key) {
      this.#cursor += 2
      return
    }
    if (!(of instanceof GraphNode) || !this.#node.inputs.has(of)) {
      throw new Error(`Cannot read ${of.name} in ${this.#node.name}: it is not declared in the node's reads`)
    }
    this.#fresh ??= []
    this.#fresh.push(of, key)
  }
}
