import type { Entry, Source } from "../collection.ts"
import { CollectionNode } from "./collection-node.ts"

export class SourceNode<V> extends CollectionNode<V> implements Source<V> {
  /** Keys written in the running transaction, with what they were before it. */
  readonly #before = new Map<string, V | undefined>()

  set(key: string, value: V): void {
    this.#write(key, value)
  }

  delete(key: string): void {
    this.#write(key, undefined)
  }

  replace(entries: Iterable<Entry<V>>): void {
    const next = new Map(entries)
    this.scheduler.transaction(() => {
      for (const key of this.content.keys()) if (!next.has(key)) this.delete(key)
      for (const [key, value] of next) this.set(key, value)
    })
  }

  run(): void {
    const changes = Array.from(this.#before, ([key, old]) => ({ key, old, now: this.content.get(key) }))
    this.#before.clear()
    this.tell(changes)
  }

  override *published(): Iterable<Entry<V>> {
    for (const entry of this.content) if (!this.#before.has(entry[0])) yield entry
    for (const [key, old] of this.#before) if (old !== undefined) yield [key, old]
  }

  override release(): void {
    super.release()
    this.#before.clear()
  }

  #write(key: string, value: V | undefined): void {
    if (this.disposed) throw new Error(`Cannot write ${this.name} "${key}": its scope was disposed`)
    const before = this.#before.has(key) ? this.#before.get(key) : this.content.get(key)
    const same =
      before === value || (before !== undefined && value !== undefined && this.equals(before, value))
    const now = same ? before : value
    this.scheduler.transaction(() => {
      this.#put(key, now)
      // Nobody would be told, and who comes later in the transaction begins with what there is.
      const isUnheard = this.#before.size === 0 && this.isUnheard
      if (same) this.#before.delete(key)
      else if (!isUnheard) this.#before.set(key, before)
      this.scheduler.schedule(this)
    })
  }

  #put(key: string, value: V | undefined): void {
    if (value === undefined) this.content.delete(key)
    else this.content.set(key, value)
  }
}
