/** Lets something happen only so often within a time. */
export class AtMost {
  readonly #times: number
  readonly #within: number
  #happened: ReadonlyArray<number> = []

  /** @param within milliseconds */
  constructor(times: number, within: number) {
    this.#times = times
    this.#within = within
  }

  /** Whether it may happen now; if so, it counts. */
  allows(now: number): boolean {
    this.#happened = this.#happened.filter((then) => now - then < this.#within)
    if (this.#happened.length >= this.#times) return false
    this.#happened = [...this.#happened, now]
    return true
  }
}
