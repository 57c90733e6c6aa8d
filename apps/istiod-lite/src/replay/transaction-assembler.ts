import { type Frame, transactionOf } from "../record/frame.ts"
import { decodeLine } from "../record/line.ts"
import type { Transaction } from "../record/transaction.ts"

/** A stretch of a recording that cannot be used. */
export interface Damage {
  /** byte at which it begins */
  readonly at: number
  readonly bytes: number
  /** it is the end of the file: whoever wrote it was killed, or still writes */
  readonly isTail: boolean
}

/** What a recording holds, in order. */
export type Recorded =
  | { readonly found: "transaction"; readonly transaction: Transaction; readonly at: number }
  | { readonly found: "damage"; readonly damage: Damage }

/** One line without its end, and the byte at which it begins. */
export interface Line {
  readonly bytes: Buffer
  readonly at: number
  /** false: the file ends before the line does */
  readonly isWhole: boolean
}

/**
 * Makes transactions of lines. What is not whole is left out and told; after damage so is everything up to the next
 * start of a run, since the state is not known before.
 */
export class TransactionAssembler {
  /** frames of a transaction that goes on */
  #parts: ReadonlyArray<Frame> = []
  #partsAt = 0
  /** where the damage began that has not been told */
  #damageAt: number | undefined
  /** whether the state is unknown, as it is before a run starts */
  #isLost = true

  take({ at, bytes, isWhole }: Line): ReadonlyArray<Recorded> {
    const frame = isWhole ? decodeLine(bytes) : undefined
    if (frame === undefined || (this.#isLost && frame.start === undefined)) {
      this.#abandon(at)
      return []
    }
    if (frame.start === undefined) return this.#add(frame, at)
    // A run that was killed within a transaction has left a part of it.
    if (this.#parts.length > 0) this.#abandon(at)
    const damage = this.#tell(at, false)
    this.#isLost = false
    return [...damage, ...this.#add(frame, at)]
  }

  /** What is left when the file ends at this byte. */
  end(at: number): ReadonlyArray<Recorded> {
    if (this.#parts.length > 0) this.#abandon(at)
    return this.#tell(at, true)
  }

  #add(frame: Frame, at: number): ReadonlyArray<Recorded> {
    if (this.#parts.length === 0) this.#partsAt = at
    this.#parts = [...this.#parts, frame]
    const [first, ...others] = this.#parts
    if (frame.more === true || first === undefined) return []
    this.#parts = []
    return [{ found: "transaction", transaction: transactionOf([first, ...others]), at: this.#partsAt }]
  }

  #abandon(at: number): void {
    this.#damageAt ??= this.#parts.length > 0 ? this.#partsAt : at
    this.#parts = []
    this.#isLost = true
  }

  #tell(end: number, isTail: boolean): ReadonlyArray<Recorded> {
    const at = this.#damageAt
    this.#damageAt = undefined
    return at === undefined ? [] : [{ found: "damage", damage: { at, bytes: end - at, isTail } }]
  }
}
