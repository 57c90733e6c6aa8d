import type { Change, Collection } from "@istiod-lite/collections"
import type { ServiceEntry } from "@istiod-lite/model"
import type { PoolUsage } from "./address-pool.ts"
import { AddressQuarantine } from "./address-quarantine.ts"
import { sameStatus, StatusAllocator, type StatusAddresses } from "./status-allocator.ts"

/** A status that an entry should have and does not. */
export interface StatusDecision {
  readonly key: string
  readonly entry: ServiceEntry
  readonly wanted: StatusAddresses
}

/** How the keeper decides. */
export interface AddressKeeperOptions {
  /** CIDRs */
  readonly pools: { readonly ipv4: string; readonly ipv6: string }
  /** how long an address that nobody has any more is given to nobody */
  readonly quarantineMillis: number
  /** how often it looks for addresses that nobody has any more */
  readonly lookEveryMillis: number
}

/** What a leader decides about automatic addresses: entries as they are written go in, statuses to write come out. */
export class AddressKeeper {
  readonly #entries: Collection<ServiceEntry>
  readonly #options: AddressKeeperOptions
  readonly #allocator: StatusAllocator
  readonly #quarantine: AddressQuarantine
  /** entries that the allocator has not seen as they are now */
  readonly #unseen: Map<string, ServiceEntry>
  #lookedAt = -Infinity

  /** `entries` must be complete: an address only seems to be free while the entry that has it is not known. */
  constructor(entries: Collection<ServiceEntry>, options: AddressKeeperOptions) {
    this.#entries = entries
    this.#options = options
    this.#allocator = new StatusAllocator(options.pools, undefined, { keepsGivenUp: true })
    this.#quarantine = new AddressQuarantine(options.quarantineMillis)
    this.#unseen = new Map(entries.entries())
    this.#allocator.warm(entries.values())
    // What was deleted before is not known: such addresses shall be the last to be given again.
    this.#allocator.skipUsed()
  }

  /** Takes what changed in the entries. */
  observe(changes: ReadonlyArray<Change<ServiceEntry>>): void {
    for (const { key, now } of changes) {
      if (now !== undefined) this.#unseen.set(key, now)
      else {
        this.#unseen.delete(key)
        this.#allocator.remove(key)
      }
    }
  }

  /**
   * Gives addresses to entries that have none, and says which statuses have to be written. Says it again until it is
   * observed that they were.
   *
   * @param now epoch milliseconds
   */
  decide(now: number): ReadonlyArray<StatusDecision> {
    this.#allocator.warm(this.#unseen.values())
    for (const entry of this.#unseen.values()) this.#allocator.update(entry)
    this.#unseen.clear()
    if (now - this.#lookedAt >= this.#options.lookEveryMillis) this.#look(now)
    return [...this.#entries.entries()].flatMap(([key, entry]) => {
      const wanted = this.#allocator.statuses.get(key) ?? []
      return sameStatus(wanted, entry.statusAddresses) ? [] : [{ key, entry, wanted }]
    })
  }

  /** Whether the entry is still what it was when this was decided. */
  stands({ entry, key }: StatusDecision): boolean {
    return this.#entries.get(key) === entry
  }

  /** How much of the prefixes is in use, and how many addresses are in quarantine. */
  usage(): { readonly ipv4: PoolUsage; readonly ipv6: PoolUsage; readonly quarantined: number } {
    return { ...this.#allocator.usage(), quarantined: this.#quarantine.size }
  }

  #look(now: number): void {
    this.#lookedAt = now
    const over = this.#quarantine.turn(this.#allocator.unheld(), now)
    if (over.length > 0) this.#allocator.forget(over)
  }
}
