import type { Collection, Entry, Index, Readable } from "../collection.ts"
import type { ItemReader } from "../reader.ts"
import { GraphNode } from "./node.ts"
import { Item, noReads, unwatch, watch, type Reads, type Waker } from "./watchers.ts"

/**
 * The reader that the function of a derived collection is given, one per node. It walks along the reads of the
 * item's last run with a cursor: a run that reads the same as before touches no map at all, and only one that
 * leaves the path pays for unwatching and watching.
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
    if (item !== undefined) unwatch(before, cursor, item)
    if (now.length === 0) return undefined
    const kept = item ?? new Item(this.#node, this.#itemKey)
    kept.reads = now
    // What was just unwatched may be read elsewhere on the new path too: then watch all of it again.
    watch(now, cursor === before.length ? cursor : 0, kept)
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
