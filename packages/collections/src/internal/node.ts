import type { Scheduler } from "./scheduler.ts"
import type { Watchers } from "./watchers.ts"

/** A vertex of the graph, a collection or an index. Its rank is above that of everything it reads. */
export abstract class GraphNode {
  readonly scheduler: Scheduler
  readonly name: string
  /** Order of creation; the tie-break between inputs of one name. */
  readonly id: number
  readonly inputs = new Set<GraphNode>()
  /** The nodes that have this one among their inputs. */
  readonly dependents = new Set<GraphNode>()
  /** Items that read a key of this node, whether or not there is something under it. */
  readonly watchers: Watchers = new Map()
  rank = 0
  queued = false
  /** Nobody has asked for it yet: it holds nothing, hears nothing of its inputs and costs nothing. */
  asleep = false
  disposed = false

  constructor(scheduler: Scheduler, name: string) {
    this.scheduler = scheduler
    this.name = name
    this.id = scheduler.register(this)
  }

  /** Begins to hear of changes of what it is made from. */
  listen(): void {}

  /**
   * Takes in all that the inputs hold if it has not yet; called by everything that reads the node. Whoever reads it is of a
   * higher rank than its inputs, so they are as they will be at the end of the transaction. Nobody is told: there was
   * nobody.
   */
  wakeUp(): void {
    if (!this.asleep) return
    this.asleep = false
    this.listen()
    this.takeIn()
  }

  /** Takes in all that the inputs hold, without a word. */
  protected takeIn(): void {}

  /** Takes in what the inputs published in this transaction, and publishes in turn. */
  abstract run(): void

  /** Forgets everything that other nodes hold of this one, and its content. */
  abstract release(): void

  /** Makes this node run after `input`, and everything downstream of it after this node. */
  follow(input: GraphNode): void {
    if (input === this || this.#isAbove(input)) {
      throw new Error(`Cannot derive ${this.name} from ${input.name}: ${input.name} is derived from it`)
    }
    this.inputs.add(input)
    input.dependents.add(this)
    this.#raise(input.rank + 1)
  }

  unfollow(input: GraphNode): void {
    this.inputs.delete(input)
    input.dependents.delete(this)
  }

  /** Whether `node` is derived from this one. What is derived has a higher rank, so most questions end at once. */
  #isAbove(node: GraphNode): boolean {
    if (node.rank <= this.rank) return false
    const reached = new Set(this.dependents)
    // A set is iterated to its end also when it grows meanwhile.
    for (const dependent of reached) for (const next of dependent.dependents) reached.add(next)
    return reached.has(node)
  }

  #raise(rank: number): void {
    if (this.rank >= rank) return
    this.scheduler.move(this, rank)
    for (const dependent of this.dependents) dependent.#raise(rank + 1)
  }
}
