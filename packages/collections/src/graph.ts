import type { Collection, Entry, Equals, Index, Merged, Readable, Source } from "./collection.ts"
import type { Commit } from "./commit.ts"
import { CollectionNode, nodeOf } from "./internal/collection-node.ts"
import { Derivation, type DerivationSpec } from "./internal/derivation.ts"
import { FlatMapNode } from "./internal/flat-map-node.ts"
import { IndexNode } from "./internal/index-node.ts"
import { inputsOf } from "./internal/inputs-of.ts"
import { MapNode } from "./internal/map-node.ts"
import { MergeNode } from "./internal/merge-node.ts"
import type { GraphNode } from "./internal/node.ts"
import { Scheduler } from "./internal/scheduler.ts"
import { removeNodes } from "./internal/scope.ts"
import { SourceNode } from "./internal/source-node.ts"
import type { Input } from "./provenance.ts"
import type { ItemReader } from "./reader.ts"

/** How a collection decides that nothing has changed. */
export interface SourceOptions<V> {
  /** Default: `Object.is`. */
  readonly equals?: Equals<V>
}

/** When a node begins to be computed. */
export interface OnDemand {
  /**
   * Only once someone reads it, subscribes to it or derives from it something that is not on demand itself; from then on
   * like any other. For what few need: until then it takes neither time nor memory. Default: false.
   */
  readonly onDemand?: boolean
}

/** What a derived collection needs besides its input and its function. */
export interface NodeOptions<V> extends SourceOptions<V>, OnDemand {
  /** Every collection and index that the function reads, besides the one it is derived from. */
  readonly reads?: ReadonlyArray<Readable>
}

/** Nodes that go together. */
export interface Scope<A> {
  readonly value: A
  /**
   * Removes the nodes of the scope and what was derived from them elsewhere; merges elsewhere only lose these
   * inputs. One transaction; may be called more than once.
   */
  readonly dispose: () => void
}

/** What a graph has done. */
export interface GraphStats {
  /** Propagations so far. */
  readonly transactions: number
  /** Items that ran their function so far. */
  readonly recomputed: number
}

/** What a graph holds. */
export interface GraphSizes {
  readonly nodes: number
  /** Entries of all collections. */
  readonly entries: number
  /** Keys of all indexes. */
  readonly indexKeys: number
  /** Items that read something besides their input. */
  readonly items: number
  /** Keys of collections and indexes that items read. */
  readonly watchedKeys: number
}

/**
 * A graph of derived collections: keyed maps computed from other keyed maps, each item of which is recomputed
 * when, and only when, something it read has changed. Synchronous and free of I/O.
 *
 * Functions given to it must be pure: the same inputs, read through the reader, give the same outputs. What they
 * are given and what they return must not be modified.
 *
 * `map`, `flatMap` and `group` infer the type of the collection, `V`, from what the function returns. Only a
 * function that reads its `previous` output has to be told: `graph.map<Pod, Endpoint>(…)`.
 */
export class Graph {
  readonly #scheduler = new Scheduler()

  get stats(): GraphStats {
    return { transactions: this.#scheduler.sequence, recomputed: this.#scheduler.recomputed }
  }

  /**
   * Grows with every propagation: between transactions, what was read untracked still stands while this is the same.
   * A transaction that is not done yet has not changed it.
   */
  get revision(): number {
    return this.#scheduler.sequence
  }

  /**
   * Propagates all writes of `run` together, then tells the listeners; a nested one joins the outer one. Inside a
   * listener the writes are done at once and propagated after the current publication.
   *
   * There is no roll-back: when `run` throws, what it wrote before is propagated and its error is thrown.
   * Fails: `AggregateError` of `DerivationError`s and `ListenerError`s, after everything else has been done.
   */
  transaction<A>(run: () => A): A {
    return this.#scheduler.transaction(run)
  }

  source<V>(name: string, options: SourceOptions<V> = {}): Source<V> {
    return new SourceNode(this.#scheduler, name, options.equals)
  }

  /** One item per entry of `from`, with at most one output, under the same key; `undefined` is no output. */
  map<I, P, V extends P = P>(
    name: string,
    from: Collection<I>,
    fn: (key: string, value: I, read: ItemReader<P>) => V | undefined,
    options: NodeOptions<V> = {}
  ): Collection<V> {
    const spec = this.#spec(name, nodeOf(this.#scheduler, from), options)
    return this.#fill(() => new MapNode(this.#scheduler, spec, fn), options)
  }

  /**
   * One item per entry of `from`, with outputs under keys of its choice. Of items that give the same key the one
   * whose own key sorts first wins; when it stops giving it, the next one shows.
   */
  flatMap<I, P, V extends P = P>(
    name: string,
    from: Collection<I>,
    fn: (key: string, value: I, read: ItemReader<P>) => ReadonlyArray<Entry<V>>,
    options: NodeOptions<V> = {}
  ): Collection<V> {
    const spec = this.#spec(name, nodeOf(this.#scheduler, from), options)
    return this.#fill(() => new FlatMapNode(this.#scheduler, spec, fn), options)
  }

  /**
   * One item per key of an index, the group-by and the join: the item exists while there are entries under its
   * key. They are given sorted by entry key.
   */
  group<I, P, V extends P = P>(
    name: string,
    index: Index<I>,
    fn: (key: string, entries: ReadonlyArray<Entry<I>>, read: ItemReader<P>) => V | undefined,
    options: NodeOptions<V> = {}
  ): Collection<V> {
    const spec = this.#spec(name, this.#indexNode(index), options)
    return this.#fill(() => new MapNode(this.#scheduler, spec, fn), options)
  }

  merge<V>(
    name: string,
    inputs: ReadonlyArray<Collection<V>> = [],
    { onDemand = false }: OnDemand = {}
  ): Merged<V> {
    return this.#scheduler.transaction(() => {
      const node = new MergeNode<V>(this.#scheduler, name)
      node.asleep = onDemand
      for (const input of inputs) node.add(input)
      return node
    })
  }

  /** The entries of `from` under the keys that `keysOf` gives for them. */
  index<V>(
    name: string,
    from: Collection<V>,
    keysOf: (value: V, key: string) => Iterable<string>,
    options: OnDemand = {}
  ): Index<V> {
    const node = nodeOf(this.#scheduler, from)
    return this.#fill(() => new IndexNode(this.#scheduler, name, node, keysOf), options)
  }

  /** Runs `build`; what it creates can be removed together. A scope inside it goes with it. */
  scope<A>(build: () => A): Scope<A> {
    const outer = this.#scheduler.scope
    const nodes = new Set<GraphNode>()
    const dispose = (): void => {
      removeNodes(this.#scheduler, nodes)
      nodes.clear()
    }
    this.#scheduler.scope = nodes
    try {
      return { value: build(), dispose }
    } catch (error) {
      dispose()
      throw error
    } finally {
      this.#scheduler.scope = outer
      for (const node of nodes) outer?.add(node)
    }
  }

  /** Calls `listener` after each propagation, when the listeners of collections were called. */
  onCommit(listener: (commit: Commit) => void): () => void {
    const entry = { call: listener }
    this.#scheduler.commitListeners.add(entry)
    return () => void this.#scheduler.commitListeners.delete(entry)
  }

  /**
   * What a key of a derived collection was computed from in its item's last run. Of a merge: the entry that won.
   * A `map` or `group` also answers for an item without output. Nothing for sources and for unknown keys.
   */
  inputsOf(collection: Collection<unknown>, key: string): ReadonlyArray<Input> {
    return inputsOf(nodeOf(this.#scheduler, collection), key)
  }

  /** Lets all nodes that are on demand begin, as if someone had read each: to compare graphs of which different things were asked. */
  wakeAll(): void {
    for (const node of this.#scheduler.nodes) node.wakeUp()
  }

  /** Counts what the graph holds. Walks over all nodes: for tests, benchmarks and metrics, not for hot paths. */
  sizes(): GraphSizes {
    const nodes = [...this.#scheduler.nodes]
    const sum = (count: (node: GraphNode) => number): number =>
      nodes.reduce((total, node) => total + count(node), 0)
    return {
      nodes: nodes.length,
      entries: sum((node) => (node instanceof CollectionNode && !node.asleep ? node.size : 0)),
      indexKeys: sum((node) => (node instanceof IndexNode && !node.asleep ? node.size : 0)),
      items: sum((node) => (node instanceof Derivation ? node.items.size : 0)),
      watchedKeys: sum((node) => node.watchers.size)
    }
  }

  #spec<I, V>(
    name: string,
    from: DerivationSpec<I, V>["from"],
    options: NodeOptions<V>
  ): DerivationSpec<I, V> {
    return {
      name,
      from,
      reads: (options.reads ?? []).map((of) =>
        "lookup" in of ? this.#indexNode(of) : nodeOf(this.#scheduler, of)
      ),
      equals: options.equals
    }
  }

  #indexNode<V>(index: Index<V>): IndexNode<V> {
    if (index instanceof IndexNode && index.scheduler === this.#scheduler && !index.disposed) return index
    throw new Error(`Cannot use ${index.name}: it is not a living index of this graph`)
  }

  /** A node takes in what its inputs hold: now, or at the end of the running transaction; or on demand. */
  #fill<N extends GraphNode>(create: () => N, { onDemand = false }: OnDemand): N {
    return this.#scheduler.transaction(() => {
      const node = create()
      node.asleep = onDemand
      if (!onDemand) {
        node.listen()
        this.#scheduler.schedule(node)
      }
      return node
    })
  }
}
