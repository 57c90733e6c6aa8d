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
    this.follow(from)
  }

  override listen(): void {
    this.from.receivers.add(this)
  }

  get size(): number {
    this.wakeUp()
    return this.#groups.size
  }
  lookup(key: string): Group<V> {
    this.wakeUp()
    return this.#groups.get(key) ?? noEntries
  }
  peek(key: string): Group<V> | undefined {
    this.wakeUp()
    return this.#groups.get(key)
  }
  keys(): Iterable<string> {
    this.wakeUp()
    return this.#groups.keys()
  }

  receive(changes: ReadonlyArray<Change<V>>): void {
    this.#received = changes
    this.scheduler.schedule(this)
  }

  run(): void {
    const edits = this.#filled ? this.#edits(this.#received) : this.#content()
    this.#filled = true
    this.#received = []
    for (const [key, some] of edits) {
      this.#edit(key, some)
      wakeWatchers(this.watchers, key)
      for (const node of this.touched) node.touch(key)
    }
  }

  protected override takeIn(): void {
    this.#filled = true
    for (const [key, group] of this.#content()) this.#edit(key, group)
  }

  /** All entries by their keys. */
  #content(): ReadonlyMap<string, Array<Entry<V>>> {
    const groups = new Map<string, Array<Entry<V>>>()
    for (const entry of this.from.entries()) {
      for (const key of this.#keys(entry[0], entry[1], true)) addTo(groups, key, entry)
    }
    return groups
  }

  #edit(key: string, edits: ReadonlyArray<Entry<V | undefined>>): void {
    const group = edited(this.#groups.get(key) ?? noEntries, edits)
    if (group.length === 0) this.#groups.delete(key)
    else this.#groups.set(key, group)
  }

  release(): void {
    this.asleep = false
    this.#groups.clear()
    this.#received = []
    this.from.receivers.delete(this)
    this.unfollow(this.from)
  }

  /** What the changes do to each group: at most one edit per entry key. */
  #edits(changes: ReadonlyArray<Change<V>>): ReadonlyMap<string, Array<Entry<V | undefined>>> {
    const edits = new Map<string, Array<Entry<V | undefined>>>()
    for (const { key, old, now } of changes) {
      const before = old === undefined ? noEntries : this.#keys(key, old, false)
      const after = now === undefined ? noEntries : this.#keys(key, now, true)
      for (const group of before) if (!after.includes(group)) addTo(edits, group, [key, undefined])
      if (after.length === 0) continue
      const entry: Entry<V | undefined> = [key, now]
      for (const group of after) addTo(edits, group, entry)
    }
    return edits
  }

  /** The distinct keys of one entry, none when `keysOf` throws; reported for new values only. */
  #keys(key: string, value: V, report: boolean): ReadonlyArray<string> {
    try {
      const keys = this.#keysOf(value, key)
      return Array.isArray(keys) && keys.length < 2 ? keys : [...new Set(keys)]
    } catch (cause) {
      if (report) this.scheduler.fail(new DerivationError(this.name, key, cause))
      return noEntries
    }
  }
}

function addTo<A>(groups: Map<string, Array<A>>, key: string, one: A): void {
  const there = groups.get(key)
  if (there === undefined) groups.set(key, [one])
  else there.push(one)
}
