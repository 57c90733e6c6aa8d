import { type Cidr, cidrContains, formatAddress, parseAddress, parseCidr } from "@istiod-lite/model"

/** The state of a pool that survives a restart. */
export interface AddressPoolState {
  /** the next address to try */
  readonly next: string
  /** address → `namespace/name` of the ServiceEntry that has it */
  readonly used: Readonly<Record<string, string>>
}

/**
 * A prefix from which addresses are handed out one after the other, from its second address on. What was handed
 * out or seen in use stays used, also when its owner is gone, until it is given back.
 */
export class AddressPool {
  readonly prefix: Cidr
  readonly #first: bigint
  readonly #used = new Map<bigint, string>()
  #next: bigint

  /** Fails: when `prefix` is not a CIDR. */
  constructor(prefix: string, state?: AddressPoolState) {
    const cidr = parseCidr(prefix)
    if (cidr === undefined)
      throw new Error(`Cannot allocate addresses from ${prefix}: expected a CIDR like 240.240.0.0/16`)
    this.prefix = cidr
    this.#first = parseAddress(cidr.address) + 1n
    this.#next = state === undefined ? this.#first : parseAddress(state.next)
    for (const [address, owner] of Object.entries(state?.used ?? {}))
      this.#used.set(parseAddress(address), owner)
  }

  state(): AddressPoolState {
    const used = [...this.#used].toSorted(([a], [b]) => (a < b ? -1 : 1))
    return {
      next: this.#format(this.#next),
      used: Object.fromEntries(used.map(([address, owner]) => [this.#format(address), owner]))
    }
  }

  contains(address: string): boolean {
    return cidrContains(this.prefix, address)
  }

  /** Marks an address of the prefix as used; says whether someone else has it. */
  claim(address: string, owner: string): "claimed" | "taken" {
    const number = parseAddress(address)
    const holder = this.#used.get(number)
    if (holder === undefined) this.#used.set(number, owner)
    return holder === undefined || holder === owner ? "claimed" : "taken"
  }

  /** Gives an address back, if it is the owner's: it may be handed out again. */
  release(address: string, owner: string): void {
    const number = parseAddress(address)
    if (this.#used.get(number) !== owner) return
    this.#used.delete(number)
    if (number < this.#next || !this.#isInside(this.#next)) this.#next = number
  }

  /** The next free address, or undefined when all are used. Starts over once at the end of the prefix. */
  allocate(owner: string): string | undefined {
    let number = this.#next
    for (let rounds = this.#isInside(number) ? 0 : 1; ; number++) {
      if (!this.#isInside(number)) {
        if (rounds === 2) return undefined
        rounds++
        number = this.#first
        if (!this.#isInside(number)) return undefined
      }
      if (!this.#used.has(number)) break
    }
    this.#used.set(number, owner)
    this.#next = number + 1n
    return this.#format(number)
  }

  #isInside(number: bigint): boolean {
    return cidrContains(this.prefix, this.#format(number))
  }

  #format(number: bigint): string {
    return formatAddress(number, this.prefix.family)
  }
}
