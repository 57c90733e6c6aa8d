import { DerivationError } from "../errors.ts"
import type { Equals } from "../collection.ts"
import type { ItemReader } from "../reader.ts"
import { CollectionNode, type Touched, type Upstream } from "./collection-node.ts"
import type { GraphNode } from "./node.ts"
import type { Scheduler } from "./scheduler.ts"
import { Tracker } from "./tracker.ts"
import { unwatch, type Item, type Waker } from "./watchers.ts"

/** What a derived collection is made from. */
export interface DerivationSpec<I, V> {
  readonly name: string
  readonly from: GraphNode & Upstream<I>
  readonly reads: ReadonlyArray<GraphNode>
  readonly equals: Equals<V> | undefined
}

/** A collection that runs a function per key of its upstream. Subclasses say what becomes of the results. */
export abstract class Derivation<I, V> extends CollectionNode<V> implements Waker, Touched {
  readonly from: GraphNode & Upstream<I>
  readonly items = new Map<string, Item>()
  readonly #tracker = new Tracker<V>(this, (itemKey, key) => this.previous(itemKey, key))
  #dirty: Array<string> = []
  #filled = false

  constructor(scheduler: Scheduler, spec: DerivationSpec<I, V>) {
    super(scheduler, spec.name, spec.equals)
    this.from = spec.from
    for (const input of [spec.from, ...spec.reads]) this.follow(input)
  }

  override listen(): void {
    this.from.touched.add(this)
  }

  /** Runs the function of one item and takes its outputs. */
  protected abstract derive(key: string, value: I, read: ItemReader<V>): void
  /** Takes the outputs of one item away. */
  protected abstract withdraw(key: string): void
  /** An output of one item in its last run. */
  protected abstract previous(itemKey: string, key: string): V | undefined
  /** The item that gives an output key, also when it gives nothing under it at present. */
  abstract itemOf(key: string): string | undefined

  touch(key: string): void {
    const item = this.items.size === 0 ? undefined : this.items.get(key)
    if (item !== undefined) return this.wake(item)
    this.#dirty.push(key)
    this.scheduler.schedule(this)
  }

  wake(item: Item): void {
    if (item.dirty) return
    item.dirty = true
    this.#dirty.push(item.key)
    this.scheduler.schedule(this)
  }

  run(): void {
    const keys = this.#filled ? this.#dirty : this.from.keys()
    this.#dirty = []
    this.#filled = true
    for (const key of keys) this.#runItem(key)
    this.settle()
    this.publish()
  }

  protected override takeIn(): void {
    this.#filled = true
    for (const key of this.from.keys()) this.#runItem(key)
    this.settle()
    this.keepQuiet()
  }

  /** Called when all items have run, before anybody is told. */
  protected settle(): void {}

  override release(): void {
    super.release()
    this.from.touched.delete(this)
    for (const item of this.items.values()) unwatch(item.reads, 0, item.reads.length, item)
    this.items.clear()
    this.#dirty = []
  }

  #runItem(key: string): void {
    const item = this.items.get(key)
    if (item !== undefined) item.dirty = false
    const value = this.from.peek(key)
    if (value === undefined) {
      this.withdraw(key)
      if (item !== undefined) unwatch(item.reads, 0, item.reads.length, item)
      this.items.delete(key)
      return
    }
    this.scheduler.recomputed++
    this.#tracker.begin(key, item)
    try {
      this.derive(key, value, this.#tracker)
    } catch (cause) {
      this.scheduler.fail(new DerivationError(this.name, key, cause))
      this.withdraw(key)
    }
    const kept = this.#tracker.end()
    if (kept === item) return
    if (kept === undefined) this.items.delete(key)
    else this.items.set(key, kept)
  }
}
