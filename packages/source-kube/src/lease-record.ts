import type { RawObject } from "@istiod-lite/model"

/** What a Lease says, as far as an election reads it. */
export interface LeaseRecord {
  /** empty: nobody holds it */
  readonly holder: string
  /** milliseconds for which a renewal holds */
  readonly duration: number
  /** changes with every renewal */
  readonly renewTime: string
  readonly transitions: number
}

/** Reads the spec of a Lease; what is missing reads as a lease that nobody holds. */
export const readLease = (lease: RawObject): LeaseRecord => {
  const { spec = {} } = lease
  return {
    holder: typeof spec.holderIdentity === "string" ? spec.holderIdentity : "",
    duration: typeof spec.leaseDurationSeconds === "number" ? spec.leaseDurationSeconds * 1000 : 0,
    renewTime: typeof spec.renewTime === "string" ? spec.renewTime : "",
    transitions: typeof spec.leaseTransitions === "number" ? spec.leaseTransitions : 0
  }
}

/**
 * The election's rules, as client-go's: a lease that somebody else holds is free when it has not been seen to change for
 * its whole duration. Only the own clock is read, and only for how long ago something was seen, so clocks may differ.
 */
export class LeaseObserver {
  #seen: LeaseRecord | undefined
  #seenAt = 0

  /** @param now milliseconds of a clock that only goes forward */
  observe(record: LeaseRecord, now: number): void {
    const { holder, renewTime } = this.#seen ?? {}
    if (record.holder === holder && record.renewTime === renewTime) return
    this.#seen = record
    this.#seenAt = now
  }

  /** Who holds it as far as is known; undefined: nobody. */
  holder(now: number): string | undefined {
    const record = this.#seen
    if (record === undefined || record.holder === "") return undefined
    return now < this.#seenAt + record.duration ? record.holder : undefined
  }
}
