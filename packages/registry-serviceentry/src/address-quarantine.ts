/** Addresses that nobody has any more, and that are kept from others until nobody uses them any more either. */
export class AddressQuarantine {
  readonly #millis: number
  readonly #since = new Map<string, number>()

  /** @param millis how long an address is kept */
  constructor(millis: number) {
    this.#millis = millis
  }

  get size(): number {
    return this.#since.size
  }

  /**
   * Takes all addresses that nobody has now; those that somebody has again are out of it. Gives those that were here
   * long enough, and lets them go.
   */
  turn(unheld: ReadonlyArray<string>, now: number): ReadonlyArray<string> {
    const next = new Map(unheld.map((address) => [address, this.#since.get(address) ?? now]))
    this.#since.clear()
    const over: Array<string> = []
    for (const [address, since] of next) {
      if (now - since >= this.#millis) over.push(address)
      else this.#since.set(address, since)
    }
    return over
  }
}
