import { GatheredChanges } from "../compose/gathered-changes.ts"
import type { InputChanges } from "../compose/inputs.ts"
import type { Transaction } from "./transaction.ts"

/** How many objects a batch of transactions has together, as soon as it has more than one. */
const objectsOfBatch = 500

/**
 * What has happened and is not written yet: at most so many transactions, besides those that are being written. When
 * writing falls further behind, later ones are merged into the last, so that the state stays right and only moments
 * between are lost. Nothing here ever waits.
 */
export class PendingTransactions {
  readonly #most: number
  readonly #waiting: Array<Transaction> = []
  /** being written, or written in vain */
  #batch: ReadonlyArray<Transaction> = []
  /** the last one that waits, when others are merged into it */
  #merging: GatheredChanges | undefined
  #merged = 0

  /** @param most how many may wait, one at least */
  constructor(most: number) {
    this.#most = Math.max(1, most)
  }

  get size(): number {
    return this.#waiting.length + this.#batch.length
  }

  add(time: number, changes: InputChanges): void {
    const last = this.#waiting.at(-1)
    if (last === undefined || this.#waiting.length < this.#most) {
      this.#settle()
      this.#waiting.push({ time, start: undefined, changes })
      return
    }
    if (this.#merging === undefined) {
      this.#merging = new GatheredChanges()
      this.#merging.absorb(last.changes)
    }
    this.#merging.absorb(changes)
    this.#waiting[this.#waiting.length - 1] = { ...last, time }
    this.#merged++
  }

  /** Those to be written now, oldest first: again the same until they are `written`. None: nothing waits. */
  batch(): ReadonlyArray<Transaction> {
    if (this.#batch.length > 0) return this.#batch
    this.#settle()
    let objects = 0
    let count = 0
    for (const { changes } of this.#waiting) {
      objects += changes.objects.length
      if (count > 0 && objects > objectsOfBatch) break
      count++
    }
    this.#batch = this.#waiting.splice(0, count)
    return this.#batch
  }

  /** The batch does not wait any more. */
  written(): void {
    this.#batch = []
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
