import type { Change, Collection, Entry, Equals } from "../collection.ts"
import { GraphNode } from "./node.ts"
import type { Scheduler } from "./scheduler.ts"
import { wakeWatchers } from "./watchers.ts"

/** A node that wants to know which keys of an input changed. */
export interface Touched {
  touch(key: string): void
}

/** A node that wants to know what the keys of an input were and are. */
export interface Receiver<V> {
  receive(changes: ReadonlyArray<Change<V>>): void
}

/** What a derivation takes its items from: a collection, or an index whose values are groups of entries. */
export interface Upstream<I> {
  readonly touched: Set<Touched>
  peek(key: string): I | undefined
  keys(): Iterable<string>
}

interface Listener<V> {
  readonly call: (changes: ReadonlyArray<Change<V>>) => void
}

export abstract class CollectionNode<V> extends GraphNode implements Collection<V>, Upstream<V> {
  readonly touched = new Set<Touched>()
  readonly receivers = new Set<Receiver<V>>()
  readonly #listeners = new Set<Listener<V>>()
  protected readonly content = new Map<string, V>()
  protected readonly equals: Equals<V>
  #changes: Array<Change<V>> = []

  constructor(scheduler: Scheduler, name: string, equals: Equals<V> = Object.is) {
    super(scheduler, name)
    this.equals = equals
  }

  get size(): number {
    this.wakeUp()
    return this.content.size
  }
  get(key: string): V | undefined {
    this.wakeUp()
    return this.content.get(key)
  }
  peek(key: string): V | undefined {
    this.wakeUp()
    return this.content.get(key)
  }
  keys(): Iterable<string> {
    this.wakeUp()
    return this.content.keys()
  }
  values(): Iterable<V> {
    this.wakeUp()
    return this.content.values()
  }
  entries(): Iterable<Entry<V>> {
    this.wakeUp()
    return this.content.entries()
  }

  subscribe(call: (changes: ReadonlyArray<Change<V>>) => void): () => void {
    this.wakeUp()
    const listener = { call }
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Whether nobody would learn of a change: who comes later begins with what there is. */
  protected get isUnheard(): boolean {
    return this.dependents.size === 0 && this.#listeners.size === 0
  }

  /** The state that listeners know: for a source that was written in a running transaction, that before it. */
  published(): Iterable<Entry<V>> {
    this.wakeUp()
    return this.content
  }

  /** Stores `now` (`undefined`: removes) unless it equals what is there, and keeps the change for `publish`. */
  protected store(key: string, now: V | undefined): void {
    const old = this.content.get(key)
    if (old === now || (old !== undefined && now !== undefined && this.equals(old, now))) return
    if (now === undefined) this.content.delete(key)
    else this.content.set(key, now)
    this.#changes.push({ key, old, now })
  }

  /** Tells what was stored since the last call to everything downstream, and to the listeners at the end. */
  protected publish(): void {
    const changes = this.#changes
    if (changes.length === 0) return
    this.#changes = []
    this.tell(changes)
  }

  /** Forgets what was stored since the last call of `publish`: it is what a node woke up with. */
  protected keepQuiet(): void {
    this.#changes = []
  }

  protected tell(changes: ReadonlyArray<Change<V>>): void {
    if (changes.length === 0) return
    if (this.watchers.size > 0) for (const { key } of changes) wakeWatchers(this.watchers, key)
    for (const node of this.touched) for (const { key } of changes) node.touch(key)
    for (const node of this.receivers) node.receive(changes)
    this.#post(changes)
  }

  /** Listeners are those of now: one that subscribes while others are told already sees this state. */
  #post(changes: ReadonlyArray<Change<V>>): void {
    const listeners = [...this.#listeners]
    this.scheduler.post({
      name: this.name,
      size: this.size,
      changes: changes.length,
      calls: listeners.map((listener) => () => {
        if (this.#listeners.has(listener)) listener.call(changes)
      })
    })
  }

  release(): void {
    const gone = this.asleep
      ? []
      : Array.from(this.published(), ([key, old]) => ({ key, old, now: undefined }))
    this.content.clear()
    if (gone.length > 0) this.#post(gone)
    this.asleep = false
    for (const input of this.inputs) this.unfollow(input)
  }
}

/** The node behind a collection. Fails when it belongs to another graph. */
export function nodeOf<V>(scheduler: Scheduler, collection: Collection<V>): CollectionNode<V> {
  if (collection instanceof CollectionNode && collection.scheduler === scheduler && !collection.disposed) {
    return collection
  }
  throw new Error(`Cannot use ${collection.name}: it is not a living collection of this graph`)
}
