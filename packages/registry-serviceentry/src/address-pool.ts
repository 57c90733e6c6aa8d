import { type Cidr, cidrContains, formatAddress, parseAddress, parseCidr } from "@istiod-lite/model"

/** The state of a pool that survives a restart. */
export interface AddressPoolState {
  /** the next address to try */
  readonly next: string
  /** address → `namespace/name` of the ServiceEntry that has it */
  readonly used: Readonly<Record<string, string>>
}

/** Addresses of a prefix; a size that is no safe integer is `Infinity`. */
export interface PoolUsage {
  readonly used: number
  readonly size: number
}

/**
 * A prefix from which addresses are handed out one after the other, from its second address on. What was handed
 * out or seen in use stays used, also when its owner is gone, until it is given back. Addresses outside the prefix
 * are nobody's business: they are neither used nor free, also those of a state that another prefix left.
 */
export class AddressPool {
  readonly #prefix: Cidr
  readonly #first: bigint
  readonly #last: bigint
  readonly #used = new Map<bigint, string>()
  #next: bigint

  /** Fails: when `prefix` is not a CIDR. */
  constructor(prefix: string, state?: AddressPoolState) {
    const cidr = parseCidr(prefix)
    if (cidr === undefined)
      throw new Error(`Cannot allocate addresses: expected a CIDR like 240.240.0.0/16: received ${prefix}`)
    this.#prefix = cidr
    this.#first = parseAddress(cidr.address) + 1n
    this.#last = lastAddressOf(cidr)
    this.#next = state === undefined ? this.#first : (this.#parse(state.next) ?? this.#first)
    for (const [address, owner] of Object.entries(state?.used ?? {})) this.claim(address, owner)
  }

  state(): AddressPoolState {
    const used = [...this.#used].toSorted(([a], [b]) => (a < b ? -1 : 1))
    return {
      next: this.#format(this.#next),
      used: Object.fromEntries(used.map(([address, owner]) => [this.#format(address), owner]))
    }
  }

  /** Marks an address as used; says whether someone else has it, who then keeps it. */
  claim(address: string, owner: string): "claimed" | "taken" {
    const number = this.#parse(address)
    if (number === undefined) return "claimed"
    const holder = this.#used.get(number)
    if (holder === undefined) this.#used.set(number, owner)
    return holder === undefined || holder === owner ? "claimed" : "taken"
  }

  /** Who has an address, or had it last. */
  ownerOf(address: string): string | undefined {
    const number = this.#parse(address)
    return number === undefined ? undefined : this.#used.get(number)
  }

  /** Gives an address back, if it is the owner's: it may be handed out again. */
  release(address: string, owner: string): void {
    const number = this.#parse(address)
    if (number === undefined || this.#used.get(number) !== owner) return
    this.#used.delete(number)
    if (number >= this.#first && number < this.#next) this.#next = number
  }

  /** Whether an address is of this prefix. */
  has(address: string): boolean {
    return this.#parse(address) !== undefined
  }

  /** The addresses in use that are not among these. */
  usedBeside(held: Iterable<string>): ReadonlyArray<string> {
    const numbers = new Set([...held].map((address) => this.#parse(address)))
    return [...this.#used.keys()]
      .filter((number) => !numbers.has(number))
      .map((number) => this.#format(number))
  }

  /** An address may be handed out again, whoever had it: after all those that are free now. */
  forget(address: string): void {
    const number = this.#parse(address)
    if (number !== undefined) this.#used.delete(number)
  }

  /** Goes on after the highest address in use, so that those that were given up of late come last. */
  skipUsed(): void {
    for (const number of this.#used.keys()) if (number >= this.#next) this.#next = number + 1n
    if (this.#next > this.#last) this.#next = this.#first
  }

  /** How many of the addresses that it hands out are in use, and how many there are. */
  usage(): PoolUsage {
    const size = this.#last - this.#first + 1n
    const used = this.#used.size - (this.#used.has(this.#first - 1n) ? 1 : 0)
    return { used, size: size > BigInt(Number.MAX_SAFE_INTEGER) ? Infinity : Number(size) }
  }

  /** The next free address, or undefined when all are used. Starts over at the end of the prefix. */
  allocate(owner: string): string | undefined {
    const free = this.#firstFree(this.#next, this.#last) ?? this.#firstFree(this.#first, this.#next - 1n)
    if (free === undefined) return undefined
    this.#used.set(free, owner)
    this.#next = free + 1n
    return this.#format(free)
  }

  #firstFree(from: bigint, to: bigint): bigint | undefined {
    for (let number = from; number <= to; number++) if (!this.#used.has(number)) return number
    return undefined
  }

  #parse(address: string): bigint | undefined {
    return cidrContains(this.#prefix, address) ? parseAddress(address) : undefined
  }

  #format(number: bigint): string {
    return formatAddress(number, this.#prefix.family)
  }
}

const lastAddressOf = ({ address, family, prefix }: Cidr): bigint => {
  const hostBits = BigInt((family === "IPv4" ? 32 : 128) - prefix)
  return parseAddress(address) | ((1n << hostBits) - 1n)
}
