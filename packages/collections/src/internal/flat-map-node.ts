import type { Entry } from "../collection.ts"
import { DerivationError } from "../errors.ts"
import type { ItemReader } from "../reader.ts"
import { Claims } from "./claims.ts"
import { Derivation, type DerivationSpec } from "./derivation.ts"
import { distinct, finder, noEntries, reuse } from "./entries.ts"
import type { Scheduler } from "./scheduler.ts"

/** Any number of outputs per item, under keys of its choice. */
export class FlatMapNode<I, V> extends Derivation<I, V> {
  readonly #fn: (key: string, value: I, read: ItemReader<V>) => ReadonlyArray<Entry<V>>
  readonly #outputs = new Map<string, ReadonlyArray<Entry<V>>>()
  readonly #claims = new Claims()
  /** Output keys whose claims or claimed values changed in this run. */
  readonly #stale = new Set<string>()

  constructor(
    scheduler: Scheduler,
    spec: DerivationSpec<I, V>,
    fn: (key: string, value: I, read: ItemReader<V>) => ReadonlyArray<Entry<V>>
  ) {
    super(scheduler, spec)
    this.#fn = fn
  }

  protected derive(key: string, value: I, read: ItemReader<V>): void {
    this.#claim(key, distinct(this.#fn(key, value, read)))
  }

  protected withdraw(key: string): void {
    this.#claim(key, noEntries)
  }

  protected previous(itemKey: string, key: string): V | undefined {
    return finder(this.#outputs.get(itemKey) ?? noEntries)(key)
  }

  itemOf(key: string): string | undefined {
    return this.#claims.winner(key)
  }

  #claim(item: string, outputs: ReadonlyArray<Entry<V>>): void {
    const before = this.#outputs.get(item) ?? noEntries
    const now = reuse(before, outputs, this.equals)
    if (now === before) return
    const [was, is] = [finder(before), finder(now)]
    for (const [key] of before) {
      if (is(key) !== undefined) continue
      this.#claims.drop(key, item)
      this.#stale.add(key)
    }
    for (const [key, value] of now) {
      if (was(key) === undefined) this.#claims.add(key, item)
      if (was(key) !== value) this.#stale.add(key)
    }
    if (now.length === 0) this.#outputs.delete(item)
    else this.#outputs.set(item, now)
  }

  /** Items of one run may hand a key over to each other: only when all have run it is clear who has it. */
  protected override settle(): void {
    let owner: string | undefined
    let find = finder<V>(noEntries)
    for (const key of this.#stale) {
      const winner = this.#claims.winner(key)
      if (winner !== owner) find = finder(this.#outputs.get(winner ?? "") ?? noEntries)
      owner = winner
      try {
        this.store(key, winner === undefined ? undefined : find(key))
      } catch (cause) {
        this.scheduler.fail(new DerivationError(this.name, key, cause))
        this.store(key, undefined)
      }
    }
    this.#stale.clear()
  }

  override release(): void {
    super.release()
    this.#outputs.clear()
    this.#claims.clear()
  }
}
