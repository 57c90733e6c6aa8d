import { type Endpoint, equalEndpoints } from "@istiod-lite/model"

/** How many endpoints may have gone from one place before those behind it are taken for new ones. */
const reach = 8

/**
 * Endpoints of an earlier state of a group: whoever makes the next one takes from here what has not changed, so that one
 * endpoint among hundreds is all that is compared, planned, told and encoded anew. Asked in the order of the list, in
 * which the endpoints that stay follow each other; that none is found only costs work.
 */
export class KeptEndpoints {
  readonly #before: ReadonlyArray<Endpoint>
  /** those before it are taken, or have gone */
  #next = 0

  constructor(before: ReadonlyArray<Endpoint> = []) {
    this.#before = before
  }

  /** The endpoint as it was there before, if it is equal; else itself. */
  keep(endpoint: Endpoint): Endpoint {
    const end = Math.min(this.#next + reach, this.#before.length)
    for (let i = this.#next; i < end; i++) {
      const before = this.#before[i]
      if (before === undefined || !equalEndpoints(before, endpoint)) continue
      this.#next = i + 1
      return before
    }
    return endpoint
  }
}
