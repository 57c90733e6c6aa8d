import { GatheredChanges } from "../compose/gathered-changes.ts"
import type { InputChanges } from "../compose/inputs.ts"
import type { Transaction } from "./transaction.ts"

/**
 * What has happened and is not written yet: at most so many transactions, two at least. When writing falls further
 * behind, later ones are merged into the last, so that the state stays right and only moments between are lost.
 * Nothing here ever waits.
 */
export class PendingTransactions {
  readonly #most: number
  readonly #waiting: Array<Transaction> = []
  /** the last one, when others are merged into it */
  #merging: GatheredChanges | undefined
  #merged = 0

  constructor(most: number) {
    this.#most = Math.max(2, most)
  }

  get size(): number {
    return this.#waiting.length
  }

  add(time: number, changes: InputChanges): void {
    if (this.#waiting.length < this.#most) {
      this.#settle()
      this.#waiting.push({ time, start: undefined, changes })
      return
    }
    const last = this.#waiting.at(-1)
    if (this.#merging === undefined && last !== undefined) {
      this.#merging = new GatheredChanges()
      this.#merging.absorb(last.changes)
    }
    this.#merging?.absorb(changes)
    this.#waiting[this.#waiting.length - 1] = { time, start: undefined, changes }
    this.#merged++
  }

  /** The oldest one; it waits until it is removed. */
  first(): Transaction | undefined {
    if (this.#waiting.length === 1) this.#settle()
    return this.#waiting[0]
  }

  removeFirst(): void {
    this.#waiting.shift()
  }

  /** How many transactions were merged into others since the last call. */
  takeMerged(): number {
    const merged = this.#merged
    this.#merged = 0
    return merged
  }

  /** Ends the merging into the last one. */
  #settle(): void {
    const last = this.#waiting.at(-1)
    if (this.#merging !== undefined && last !== undefined)
      this.#waiting[this.#waiting.length - 1] = { ...last, changes: this.#merging.take() }
    this.#merging = undefined
  }
}
