/** Random choices that a seed repeats: the same seed gives the same choices, on every machine. */
export class SeededRandom {
  #state: number

  /** @param seed any integer; only its lowest 32 bits count */
  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** In [0, 1): Mulberry32, which is enough for choosing and passes the usual tests of small generators. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let bits = this.#state
    bits = Math.imul(bits ^ (bits >>> 15), bits | 1)
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61)
    return ((bits ^ (bits >>> 14)) >>> 0) / 0x1_0000_0000
  }

  /** An integer in [0, limit). */
  below(limit: number): number {
    return Math.floor(this.next() * limit)
  }

  chance(probability: number): boolean {
    return this.next() < probability
  }

  /** One of a list; undefined if it is empty. */
  oneOf<A>(list: ReadonlyArray<A>): A | undefined {
    return list[this.below(list.length)]
  }

  /** One of a list that has something. */
  pick<const List extends readonly [unknown, ...ReadonlyArray<unknown>]>(list: List): List[number] {
    return list[this.below(list.length)]
  }

  /** Each of a list with the given probability, in its order. */
  some<A>(list: ReadonlyArray<A>, probability: number): ReadonlyArray<A> {
    return list.filter(() => this.chance(probability))
  }

  shuffled<A>(list: ReadonlyArray<A>): ReadonlyArray<A> {
    return list
      .map((item) => [this.next(), item] as const)
      .toSorted(([a], [b]) => a - b)
      .map(([, item]) => item)
  }
}
