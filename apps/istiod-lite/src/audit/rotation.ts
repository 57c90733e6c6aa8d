/** Goes through all names, some at a time; names that come meanwhile have their turn in the next round. */
export class Rotation {
  #waiting: ReadonlyArray<string> = []
  #next = 0
  #round = -1

  /** How many rounds have ended; −1 before the first begins. */
  get round(): number {
    return this.#round
  }

  /** The next `count` names, fewer at the end of a round. `all` gives the names of the round that begins. */
  take(count: number, all: (round: number) => ReadonlySet<string>): ReadonlyArray<string> {
    if (this.#next >= this.#waiting.length) {
      this.#round++
      this.#waiting = [...all(this.#round)]
      this.#next = 0
    }
    const taken = this.#waiting.slice(this.#next, this.#next + count)
    this.#next += count
    return taken
  }
}

/** The `count` members that have their turn in a round, beginning anew where the list ends. */
export const inTurn = <A>(members: ReadonlyArray<A>, count: number, round: number): ReadonlyArray<A> => {
  if (members.length <= count) return members
  const start = (round * count) % members.length
  return [...members.slice(start), ...members.slice(0, start)].slice(0, count)
}
