/** How long to wait between attempts; client-go's reflector does about the same. All in milliseconds. */
export interface BackoffOptions {
  readonly first: number
  readonly most: number
  /** after so long without a failure the next one counts as the first */
  readonly healthyAfter: number
}

export const defaultBackoff: BackoffOptions = { first: 800, most: 30_000, healthyAfter: 120_000 }

/** Waits that double, each shortened by chance, so that clients that failed together do not come back together. */
export class Backoff {
  /** failures in a row */
  failures = 0
  readonly #options: BackoffOptions
  #lastFailure = Number.NEGATIVE_INFINITY

  constructor(options: BackoffOptions = defaultBackoff) {
    this.#options = options
  }

  /**
   * Notes a failure; gives how long to wait: little after a healthy time, for connections get cut now and then.
   *
   * @param random 0 … 1: the wait is between half of its full length and all of it
   */
  next(now: number, random: number): number {
    const { first, healthyAfter, most } = this.#options
    if (now - this.#lastFailure > healthyAfter) this.failures = 0
    const full = Math.min(
      most,
      this.failures === 0 ? first / 4 : first * 2 ** Math.min(this.failures - 1, 30)
    )
    this.failures += 1
    this.#lastFailure = now
    return full * (0.5 + random / 2)
  }
}
