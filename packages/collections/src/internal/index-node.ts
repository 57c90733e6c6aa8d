import type { Change, Entry, Index } from "../collection.ts"
import { DerivationError } from "../errors.ts"
import type { CollectionNode, Receiver, Touched, Upstream } from "./collection-node.ts"
import { edited, noEntries } from "./entries.ts"
import { GraphNode } from "./node.ts"
import type { Scheduler } from "./scheduler.ts"
import { wakeWatchers } from "./watchers.ts"

type Group<V> = ReadonlyArray<Entry<V>>

/** A multi-map over a collection. A group is a sorted immutable array, replaced when one of its entries changes. */
export class IndexNode<V> extends GraphNode implements Index<V>, Receiver<V>, Upstream<Group<V>> {
  readonly from: CollectionNode<V>
  readonly touched = new Set<Touched>()
  readonly #keysOf: (value: V, key: string) => Iterable<string>
  readonly #groups = new Map<string, Group<V>>()
  #received: ReadonlyArray<Change<V>> = []
  #filled = false

  constructor(
    scheduler: Scheduler,
    name: string,
    from: CollectionNode<V>,
    keysOf: (value: V, key: string) => Iterable<string>
  ) {
    super(scheduler, name)
    this.from = from
    this.#keysOf = keysOf
    from.receivers.add(this)
    this.follow(from)
  }

  get size(): number {
    return this.#groups.size
  }
  lookup(key: string): Group<V> {
    return this.#groups.get(key) ?? noEntries
  }
  peek(key: string): Group<V> | undefined {
    return this.#groups.get(key)
  }
  keys(): Iterable<string> {
    return this.#groups.keys()
  }

  receive(changes: ReadonlyArray<Change<V>>): void {
    this.#received = changes
    this.scheduler.schedule(this)
  }

  run(): void {
    const changes = this.#filled
      ? this.#received
      : Array.from(this.from.entries(), ([key, now]): Change<V> => ({ key, old: undefined, now }))
    this.#received = []
    this.#filled = true
    for (const [key, edits] of this.#edits(changes)) {
      const group = edited(this.lookup(key), edits)
      if (group.length === 0) this.#groups.delete(key)
      else this.#groups.set(key, group)
      wakeWatchers(this.watchers, key)
      for (const node of this.touched) node.touch(key)
    }
  }

  release(): void {
    this.#groups.clear()
    this.#received = []
    this.from.receivers.delete(this)
    this.unfollow(this.from)
  }

  /** What the changes do to each group: at most one edit per entry key. */
  #edits(changes: ReadonlyArray<Change<V>>): ReadonlyMap<string, Array<Entry<V | undefined>>> {
    const edits = new Map<string, Array<Entry<V | undefined>>>()
    const edit = (group: string, entry: Entry<V | undefined>): void => {
      const there = edits.get(group)
      if (there === undefined) edits.set(group, [entry])
      else there.push(entry)
    }
    for (const { key, old, now } of changes) {
      const before = old === undefined ? noEntries : this.#keys(key, old, false)
      const after = now === undefined ? noEntries : this.#keys(key, now, true)
      for (const group of before) if (!after.includes(group)) edit(group, [key, undefined])
      for (const group of after) edit(group, [key, now])
    }
    return edits
  }

  /** The distinct keys of one entry, none when `keysOf` throws; reported for new values only. */
  #keys(key: string, value: V, report: boolean): ReadonlyArray<string> {
    try {
      return [...new Set(this.#keysOf(value, key))]
    } catch (cause) {
      if (report) this.scheduler.fail(new DerivationError(this.name, key, cause))
      return noEntries
    }
  }
}
