import type { CollectionChanged, Commit } from "../commit.ts"
import { aggregate, ListenerError } from "../errors.ts"
import type { GraphNode } from "./node.ts"

/** What a collection has to tell its listeners once everything is consistent. */
export interface Publication extends CollectionChanged {
  readonly calls: ReadonlyArray<() => void>
}

/**
 * Runs transactions: first the caller's writes, then every touched node once in the order of ranks, then the
 * listeners. Listeners may begin transactions: their writes are done at once, the rest after this publication.
 */
export class Scheduler {
  readonly nodes = new Set<GraphNode>()
  readonly commitListeners = new Set<{ readonly call: (commit: Commit) => void }>()
  sequence = 0
  recomputed = 0
  /** Collects the nodes that are created while a scope is built. */
  scope: Set<GraphNode> | undefined
  #phase: "idle" | "writing" | "propagating" | "publishing" = "idle"
  #created = 0
  /** Nodes to run, by rank. */
  readonly #queue: Array<Array<GraphNode>> = []
  #queued = 0
  #outbox: Array<Publication> = []
  #failures: Array<unknown> = []

  register(node: GraphNode): number {
    this.#assertWritable(`create ${node.name}`)
    this.nodes.add(node)
    this.scope?.add(node)
    return this.#created++
  }

  schedule(node: GraphNode): void {
    if (node.queued) return
    node.queued = true
    this.#queued++
    while (this.#queue.length <= node.rank) this.#queue.push([])
    this.#queue[node.rank]?.push(node)
  }

  move(node: GraphNode, rank: number): void {
    const queued = node.queued
    if (queued) this.unschedule(node)
    node.rank = rank
    if (queued) this.schedule(node)
  }

  unschedule(node: GraphNode): void {
    if (!node.queued) return
    node.queued = false
    this.#queued--
    const bucket = this.#queue[node.rank] ?? []
    bucket.splice(bucket.indexOf(node), 1)
  }

  post(publication: Publication): void {
    this.#outbox.push(publication)
  }

  fail(error: unknown): void {
    this.#failures.push(error)
  }

  transaction<A>(run: () => A): A {
    this.#assertWritable("begin a transaction")
    if (this.#phase === "writing") return run()
    const outer = this.#phase
    this.#phase = "writing"
    let done: { readonly value: A } | undefined
    let error: unknown
    try {
      done = { value: run() }
    } catch (thrown) {
      error = thrown
    } finally {
      this.#phase = outer
    }
    const failures = outer === "idle" ? this.#settle() : []
    if (done === undefined && failures.length === 0) throw error
    if (done === undefined) throw aggregate([error, ...failures])
    if (failures.length > 0) throw aggregate(failures)
    return done.value
  }

  #assertWritable(what: string): void {
    if (this.#phase === "propagating")
      throw new Error(`Cannot ${what}: derivations must not change the graph`)
  }

  #settle(): ReadonlyArray<unknown> {
    const { scope } = this
    try {
      this.scope = undefined // what a listener creates does not belong to who wrote
      while (this.#queued > 0 || this.#outbox.length > 0) {
        this.#phase = "propagating"
        const before = this.recomputed
        this.#propagate()
        this.#phase = "publishing"
        this.#publish(this.recomputed - before)
      }
    } finally {
      this.#phase = "idle"
      this.scope = scope
    }
    const failures = this.#failures
    this.#failures = []
    return failures
  }

  #propagate(): void {
    // What a node of one rank touches is always of a higher one.
    for (let rank = 0; rank < this.#queue.length; rank++) {
      const bucket = this.#queue[rank]
      if (bucket === undefined || bucket.length === 0) continue
      for (const node of bucket) {
        node.queued = false
        node.run()
      }
      this.#queued -= bucket.length
      bucket.length = 0
    }
  }

  #publish(recomputed: number): void {
    const changed = this.#outbox
    this.#outbox = []
    this.sequence++
    for (const { name, calls } of changed) for (const call of calls) this.#guard(name, call)
    if (this.commitListeners.size === 0) return
    const commit: Commit = {
      sequence: this.sequence,
      changed: changed.map(({ name, size, changes }) => ({ name, size, changes })),
      recomputed
    }
    const listeners = [...this.commitListeners]
    for (const listener of listeners) {
      this.#guard("commits", () => {
        if (this.commitListeners.has(listener)) listener.call(commit)
      })
    }
  }

  #guard(name: string, call: () => void): void {
    try {
      call()
    } catch (cause) {
      this.fail(new ListenerError(name, cause))
    }
  }
}
