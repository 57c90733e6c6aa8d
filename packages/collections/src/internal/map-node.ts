import type { ItemReader } from "../reader.ts"
import { Derivation, type DerivationSpec } from "./derivation.ts"
import type { Scheduler } from "./scheduler.ts"

/** At most one output per item, under the item's own key: `map` and `group`. */
export class MapNode<I, V> extends Derivation<I, V> {
  readonly #fn: (key: string, value: I, read: ItemReader<V>) => V | undefined

  constructor(
    scheduler: Scheduler,
    spec: DerivationSpec<I, V>,
    fn: (key: string, value: I, read: ItemReader<V>) => V | undefined
  ) {
    super(scheduler, spec)
    this.#fn = fn
  }

  protected derive(key: string, value: I, read: ItemReader<V>): void {
    this.store(key, this.#fn(key, value, read))
  }

  protected withdraw(key: string): void {
    this.store(key, undefined)
  }

  protected previous(itemKey: string, key: string): V | undefined {
    return itemKey === key ? this.content.get(key) : undefined
  }

  itemOf(key: string): string | undefined {
    return this.from.peek(key) === undefined ? undefined : key
  }
}
