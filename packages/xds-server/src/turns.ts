/** A piece of work, known by its identity. */
export interface Work {
  /** Must not throw. */
  readonly run: () => void
}

/** When work is done. */
export interface Turns {
  /** Does the work now or later, `first` before all that waits; asked again before it was done, it is done once. */
  readonly run: (work: Work, first?: boolean) => void
}

/** Nothing waits: for tests, and where nobody else needs the event loop. */
export const atOnce: Turns = { run: (work) => work.run() }

/** How long one turn of the event loop may be spent on responses, in milliseconds. */
const turnBudget = 10

/**
 * Shares the event loop between responses and everything else.
 *
 * While a turn has time left, work is done at once: a single change never waits. When all proxies connect together,
 * what exceeds the turn's budget waits in line, and sockets, timers and health checks get their turn in between. Work
 * that goes first waits in a line of its own.
 */
export class FairTurns implements Turns {
  private readonly first = new Set<Work>()
  private readonly waiting = new Set<Work>()
  private spent = 0
  private ending = false
  private readonly elapsed: () => number
  private readonly later: (run: () => void) => void

  /** `elapsed` in milliseconds; `later` calls back in the next turn of the event loop. */
  constructor(
    elapsed: () => number = () => performance.now(),
    later: (run: () => void) => void = (run) => void setImmediate(run)
  ) {
    this.elapsed = elapsed
    this.later = later
  }

  run(work: Work, first = false): void {
    const line = first ? this.first : this.waiting
    // Once it has been run it has done all it could, whichever line it stood in.
    if (first) this.waiting.delete(work)
    const passes = this.spent < turnBudget && this.first.size === 0 && (first || this.waiting.size === 0)
    if (passes) this.spend(work)
    else if (!this.first.has(work)) line.add(work)
    this.endTurnLater()
  }

  private spend(work: Work): void {
    const began = this.elapsed()
    work.run()
    this.spent += this.elapsed() - began
  }

  private endTurnLater(): void {
    if (this.ending) return
    this.ending = true
    this.later(() => this.nextTurn())
  }

  private nextTurn(): void {
    this.ending = false
    this.spent = 0
    for (const line of [this.first, this.waiting]) {
      for (const work of line) {
        if (this.spent >= turnBudget) return this.endTurnLater()
        line.delete(work)
        this.spend(work)
      }
    }
  }
}
