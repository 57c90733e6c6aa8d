import {
  compareText,
  isIp,
  isIpv6,
  isWildcard,
  normaliseAddress,
  objectKey,
  type ServiceEntry
} from "@istiod-lite/model"
import { AddressPool, type AddressPoolState, type PoolUsage } from "./address-pool.ts"
import { acceptsStatusAddresses } from "./status-addresses.ts"

/** Automatic addresses of one entry's hosts. */
export type StatusAddresses = ServiceEntry["statusAddresses"]

/** Everything the allocator remembers: what `--address-state` keeps in files mode. */
export interface AllocatorState {
  readonly ipv4: AddressPoolState
  readonly ipv6: AddressPoolState
  /** by `namespace/name` */
  readonly statuses: Readonly<Record<string, StatusAddresses>>
}

/** How an allocator treats what is given up. */
export interface AllocatorOptions {
  /**
   * What an entry gives up, because it takes no addresses any more, stays used until it is forgotten, as if it were
   * deleted. Default: it is free at once, as Istio's allocator has it.
   */
  readonly keepsGivenUp?: boolean
}

/** Istio's prefixes. */
export const defaultPools = { ipv4: "240.240.0.0/16", ipv6: "2001:2::/48" } as const

/**
 * The allocator that writes `status.addresses` (D-8, mode `status`), after Istio's: an address of each family for
 * every host of an entry that takes them, in order of arrival, never one that is in use. It is a memory, not a
 * view: a host keeps its address whatever comes later, and the address of a deleted entry is not handed out again.
 * Once a prefix is used up, hosts get no address of it.
 *
 * When two entries have one address, one that the user wrote wins, then the older entry; the others get new ones.
 */
export class StatusAllocator {
  readonly #ipv4: AddressPool
  readonly #ipv6: AddressPool
  readonly #entries = new Map<string, ServiceEntry>()
  readonly #statuses: Map<string, StatusAddresses>
  readonly #keepsGivenUp: boolean

  constructor(
    pools: { readonly ipv4: string; readonly ipv6: string } = defaultPools,
    state?: AllocatorState,
    { keepsGivenUp = false }: AllocatorOptions = {}
  ) {
    this.#keepsGivenUp = keepsGivenUp
    this.#ipv4 = new AddressPool(pools.ipv4, state?.ipv4)
    this.#ipv6 = new AddressPool(pools.ipv6, state?.ipv6)
    this.#statuses = new Map(Object.entries(state?.statuses ?? {}))
  }

  /** The status of every entry that has one, by key. */
  get statuses(): ReadonlyMap<string, StatusAddresses> {
    return this.#statuses
  }

  state(): AllocatorState {
    return {
      ipv4: this.#ipv4.state(),
      ipv6: this.#ipv6.state(),
      statuses: Object.fromEntries([...this.#statuses].toSorted(([a], [b]) => compareText(a, b)))
    }
  }

  /** Goes on after the highest addresses in use: who did not see what was deleted hands out those last. */
  skipUsed(): void {
    this.#ipv4.skipUsed()
    this.#ipv6.skipUsed()
  }

  /** The addresses in use that no entry has, such as those of deleted ones. */
  unheld(): ReadonlyArray<string> {
    const held = [...this.#entries.values()].flatMap((entry) => [
      ...userAddresses(entry),
      ...this.#statusOf(objectKey(entry.meta))
    ])
    return [...this.#ipv4.usedBeside(held), ...this.#ipv6.usedBeside(held)]
  }

  /** Addresses that no entry has may be given to others: first of all to hosts that came when a prefix was used up. */
  forget(unheld: ReadonlyArray<string>): void {
    for (const address of unheld) this.#poolOf(address).forget(address)
    for (const entry of this.#entries.values()) if (acceptsStatusAddresses(entry)) this.#complete(entry)
  }

  /** How much of the prefixes is in use, addresses of deleted entries that were not forgotten included. */
  usage(): { readonly ipv4: PoolUsage; readonly ipv6: PoolUsage } {
    return { ipv4: this.#ipv4.usage(), ipv6: this.#ipv6.usage() }
  }

  /** Learns of all entries before any is given an address, so that nothing in use is handed out. */
  warm(entries: Iterable<ServiceEntry>): void {
    const all = [...entries]
    for (const entry of all) this.#learn(entry)
    for (const entry of all) this.#claim(entry)
  }

  /** Takes an entry as it is now and brings its status, and those it conflicts with, up to date. */
  update(entry: ServiceEntry): void {
    this.#learn(entry)
    this.#resolve(this.#claim(entry))
    if (acceptsStatusAddresses(entry)) this.#assign(entry, false)
  }

  /** Forgets a deleted entry. Its addresses stay used: its clients may still hold them. */
  remove(key: string): void {
    this.#entries.delete(key)
    this.#statuses.delete(key)
  }

  /**
   * Takes the status that an entry brings along, where it is news: a manifest that is written again says what it
   * said before, or nothing, since manifests are applied without their status; neither undoes what was decided
   * here. An entry that takes no addresses (any more) gives its own back.
   */
  #learn(entry: ServiceEntry): void {
    const key = objectKey(entry.meta)
    const before = this.#entries.get(key)
    this.#entries.set(key, entry)
    if (!acceptsStatusAddresses(entry)) {
      if (!this.#keepsGivenUp)
        for (const address of this.#statusOf(key)) this.#poolOf(address).release(address, key)
      this.#statuses.delete(key)
      return
    }
    const isNews =
      before === undefined
        ? !this.#statuses.has(key)
        : !sameStatus(before.statusAddresses, entry.statusAddresses)
    if (isNews && entry.statusAddresses.length > 0) this.#statuses.set(key, entry.statusAddresses)
  }

  /** Marks all addresses of an entry as used; gives those that someone else has. */
  #claim(entry: ServiceEntry): ReadonlyArray<string> {
    const key = objectKey(entry.meta)
    return [...userAddresses(entry), ...this.#statusOf(key)].filter((address) => {
      const pool = this.#poolOf(address)
      if (pool.claim(address, key) === "claimed") return false
      if (this.#holds(pool.ownerOf(address) ?? "", address)) return true
      // It was given up, and another allocator gave it to this entry.
      pool.forget(address)
      pool.claim(address, key)
      return false
    })
  }

  #holds(key: string, address: string): boolean {
    const entry = this.#entries.get(key)
    const isUsers = entry !== undefined && userAddresses(entry).includes(address)
    return isUsers || this.#statusOf(key).includes(address)
  }

  /** Gives new addresses to entries that share one: all but the oldest, all if a user wrote the address. */
  #resolve(conflicts: ReadonlyArray<string>): void {
    for (const address of conflicts) {
      const isUsers = [...this.#entries.values()].some((entry) => userAddresses(entry).includes(address))
      const holders = [...this.#entries.values()]
        .filter((entry) => this.#statusOf(objectKey(entry.meta)).includes(address))
        .toSorted(
          (a, b) =>
            compareText(a.meta.creationTime, b.meta.creationTime) ||
            compareText(objectKey(a.meta), objectKey(b.meta))
        )
      for (const loser of holders.slice(isUsers ? 0 : 1)) this.#assign(loser, true)
    }
  }

  /** An address of each family for every host that has none, or, in a conflict, for all hosts anew. */
  #assign(entry: ServiceEntry, anew: boolean): void {
    const key = objectKey(entry.meta)
    const existing = this.#statuses.get(key) ?? []
    const hosts = [...new Set(entry.hosts)].filter(
      (host) => !isWildcard(host) || entry.resolution === "DYNAMIC_DNS"
    )
    const assigned = new Set(existing.map(({ host }) => host))
    if (!anew && hosts.length === assigned.size && hosts.every((host) => assigned.has(host))) return
    // Before any is allocated: what a host gets anew must not be what another of them had.
    const kept = hosts.map((host) => {
      if (anew) return []
      const own = existing.filter((address) => address.host === host)
      return own.length > 0 ? own : this.#givenUp(entry, host)
    })
    const status = hosts.flatMap((host, i) => {
      const had = kept[i] ?? []
      if (had.length > 0) return had
      return [this.#ipv4.allocate(key), this.#ipv6.allocate(key)].flatMap((value) =>
        value === undefined ? [] : [{ host, value }]
      )
    })
    if (status.length === 0) this.#statuses.delete(key)
    else this.#statuses.set(key, status)
  }

  /** What an entry still says of a host that it had given up, unless somebody else has it by now. */
  #givenUp(entry: ServiceEntry, host: string): StatusAddresses {
    if (!this.#keepsGivenUp) return []
    const key = objectKey(entry.meta)
    const said = entry.statusAddresses.filter((address) => address.host === host)
    const isFree = said.every(({ value }) => this.#poolOf(value).claim(value, key) === "claimed")
    return isFree ? said : []
  }

  /** An IPv4 address for every host that got only the other one, or none. */
  #complete(entry: ServiceEntry): void {
    this.#assign(entry, false)
    const key = objectKey(entry.meta)
    const status = this.#statuses.get(key) ?? []
    const complete = [...Map.groupBy(status, ({ host }) => host)].flatMap(([host, addresses]) => {
      if (!addresses.every(({ value }) => this.#ipv6.has(value))) return addresses
      const value = this.#ipv4.allocate(key)
      return value === undefined ? addresses : [{ host, value }, ...addresses]
    })
    if (complete.length > status.length) this.#statuses.set(key, complete)
  }

  #statusOf(key: string): ReadonlyArray<string> {
    return (this.#statuses.get(key) ?? []).map(({ value }) => value)
  }

  #poolOf(address: string): AddressPool {
    return isIpv6(address) ? this.#ipv6 : this.#ipv4
  }
}

/** Whether two statuses say the same, in the same order. */
export const sameStatus = (a: StatusAddresses, b: StatusAddresses): boolean =>
  a.length === b.length && a.every(({ host, value }, i) => host === b[i]?.host && value === b[i].value)

/** As allocators write them. */
const userAddresses = (entry: ServiceEntry): ReadonlyArray<string> =>
  entry.addresses.filter(isIp).map(normaliseAddress)
