import type { Collection, Merged } from "../collection.ts"
import { CollectionNode, nodeOf, type Touched } from "./collection-node.ts"

export class MergeNode<V> extends CollectionNode<V> implements Merged<V>, Touched {
  /** Sorted by name, so that the first one that has a key wins. */
  #ordered: ReadonlyArray<CollectionNode<V>> = []
  #dirty: Array<string> = []
  /** Inputs that nobody had asked for before: they are, when it is clear what they hold. */
  #woken: Array<CollectionNode<V>> = []

  add(input: Collection<V>): () => void {
    const node = nodeOf(this.scheduler, input)
    if (this.disposed) throw new Error(`Cannot add ${node.name} to ${this.name}: its scope was disposed`)
    if (this.#ordered.includes(node))
      throw new Error(`Cannot add ${node.name} to ${this.name}: it already is an input`)
    this.scheduler.transaction(() => {
      this.follow(node)
      this.#ordered = [...this.#ordered, node].toSorted((a, b) =>
        a.name < b.name ? -1 : a.name > b.name ? 1 : a.id - b.id
      )
      if (this.asleep) return
      node.touched.add(this)
      if (node.asleep) {
        this.#woken.push(node)
        this.scheduler.schedule(this)
        return
      }
      // What was written in the running transaction is published at its end, and touches then.
      for (const [key] of node.published()) this.touch(key)
    })
    return () => this.scheduler.transaction(() => this.drop(node))
  }

  /** Takes the entries of an input away; nothing happens when it is none. */
  drop(node: CollectionNode<V>): void {
    if (!this.#ordered.includes(node)) return
    this.#ordered = this.#ordered.filter((input) => input !== node)
    node.touched.delete(this)
    this.unfollow(node)
    if (this.asleep || node.asleep) return
    for (const [key] of node.published()) this.touch(key)
  }

  override listen(): void {
    for (const node of this.#ordered) node.touched.add(this)
  }

  protected override takeIn(): void {
    for (const node of this.#ordered) {
      for (const [key] of node.published()) this.store(key, this.inputOf(key)?.get(key))
    }
    this.keepQuiet()
  }

  touch(key: string): void {
    this.#dirty.push(key)
    this.scheduler.schedule(this)
  }

  run(): void {
    const woken = this.#woken.filter((node) => this.#ordered.includes(node))
    const keys = this.#dirty.concat(woken.flatMap((node) => [...node.keys()]))
    this.#dirty = []
    this.#woken = []
    for (const key of keys) this.store(key, this.inputOf(key)?.get(key))
    this.publish()
  }

  /** The input that gives a key. */
  inputOf(key: string): CollectionNode<V> | undefined {
    return this.#ordered.find((input) => input.get(key) !== undefined)
  }

  override release(): void {
    for (const input of this.#ordered) input.touched.delete(this)
    this.#ordered = []
    this.#dirty = []
    this.#woken = []
    super.release()
  }
}
