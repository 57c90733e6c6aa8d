interface Change {
  /** the generation that it led to */
  readonly generation: number
  readonly places: ReadonlyArray<number>
}

/** Which places changed in which generation, as far back as it is worth: who is further behind is told everything. */
export class ChangeLog {
  readonly #limit: number
  #changes: Array<Change> = []
  #size = 0
  #generation = 0

  /** @param limit how many changed places are remembered */
  constructor(limit: number) {
    this.#limit = limit
  }

  /** Goes up by one with each change. */
  get generation(): number {
    return this.#generation
  }

  add(places: ReadonlyArray<number>): void {
    this.#changes.push({ generation: ++this.#generation, places })
    this.#size += places.length
    let forgotten = 0
    while (this.#size > this.#limit) this.#size -= this.#changes[forgotten++]?.places.length ?? 0
    if (forgotten > 0) this.#changes = this.#changes.slice(forgotten)
  }

  /** The places that changed after a generation, each once; undefined if that is not remembered any more. */
  since(generation: number): ReadonlySet<number> | undefined {
    const oldest = this.#changes[0]?.generation ?? this.#generation + 1
    if (generation + 1 < oldest) return undefined
    const places = new Set<number>()
    for (const change of this.#changes) {
      if (change.generation > generation) for (const place of change.places) places.add(place)
    }
    return places
  }
}
