interface Response {
  readonly nonce: string
  /** when the oldest change in it was observed, in epoch milliseconds */
  since: number
}

/** So many responses are told apart; a client that acknowledges none of them is behind since the first one anyway. */
const most = 64

/**
 * Responses of one type on one stream that carry changes and were not acknowledged yet. From it follows how long a change
 * took to be taken in by a client, and since when a client is behind.
 *
 * Clients acknowledge in the order in which they are sent to, so that an ACK of one response is one of all before it, also
 * of those that were refused: they were replaced. Under churn a response is often on its way when the ACK of the one before
 * comes.
 */
export class Outstanding {
  readonly #responses: Array<Response> = []

  /** Since when the client is behind, in epoch milliseconds; undefined: it has acknowledged all changes. */
  get since(): number | undefined {
    return this.#responses[0]?.since
  }

  /** A response left whose oldest change was observed at `since`. */
  sent(nonce: string, since: number): void {
    const last = this.#responses.at(-1)
    if (last === undefined || this.#responses.length < most) this.#responses.push({ nonce, since })
    else this.#responses[most - 1] = { nonce, since: Math.min(since, last.since) }
  }

  /** The client took this response in. Gives when the oldest change was observed that it knows of now, if it is news. */
  acknowledged(nonce: string): number | undefined {
    const index = this.#responses.findIndex((response) => response.nonce === nonce)
    if (index === -1) return undefined
    const done = this.#responses.splice(0, index + 1)
    return Math.min(...done.map(({ since }) => since))
  }
}
