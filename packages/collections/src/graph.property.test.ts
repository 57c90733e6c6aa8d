import { assert, it } from "@effect/vitest"
import * as fc from "fast-check"
import { assertReplays, sorted } from "../testing.ts"
import type { Collection, Index, Merged, Source } from "./collection.ts"
import { Graph } from "./graph.ts"
import type { ItemReader, Reader } from "./reader.ts"

// Random graphs over few keys and few values, so that collisions, cut-offs and hand-overs are frequent.
const keys = ["a", "b", "c", "d"]
interface Value {
  readonly n: number
}
const equals = (a: Value, b: Value): boolean => a.n === b.n
const keyFor = (n: number): string => keys[n % keys.length] ?? "a"

interface NodeSpec {
  readonly kind: "map" | "flatMap" | "group" | "merge" | "index"
  /** Picks what the node is made from and reads, modulo what there is. */
  readonly from: number
  readonly reads: readonly [collection: number, index: number]
  readonly salt: number
}
const nodeSpec: fc.Arbitrary<NodeSpec> = fc.record({
  kind: fc.constantFrom("map", "flatMap", "group", "merge", "index"),
  from: fc.nat(20),
  reads: fc.tuple(fc.nat(20), fc.nat(20)),
  salt: fc.nat(5)
})
interface Topology {
  readonly sources: number
  readonly nodes: ReadonlyArray<NodeSpec>
  /** What each scope builds over its own source; its last collection goes into the merge. */
  readonly scoped: ReadonlyArray<NodeSpec>
  /** Derived from the merge. */
  readonly below: ReadonlyArray<NodeSpec>
}
const topology: fc.Arbitrary<Topology> = fc.record({
  sources: fc.integer({ min: 1, max: 3 }),
  nodes: fc.array(nodeSpec, { maxLength: 6 }),
  scoped: fc.array(nodeSpec, { maxLength: 3 }),
  below: fc.array(nodeSpec, { maxLength: 4 })
})

type Operation =
  | { readonly do: "write"; readonly source: number; readonly key: number; readonly n: number | undefined }
  | { readonly do: "replace"; readonly source: number; readonly ns: ReadonlyArray<number> }
  | { readonly do: "scope"; readonly scope: number; readonly n: number }
const operation: fc.Arbitrary<Operation> = fc.oneof(
  fc.record({
    do: fc.constant("write" as const),
    source: fc.nat(4),
    key: fc.nat(3),
    n: fc.option(fc.nat(9), { nil: undefined })
  }),
  fc.record({
    do: fc.constant("replace" as const),
    source: fc.nat(4),
    ns: fc.array(fc.nat(9), { maxLength: 4 })
  }),
  fc.record({ do: fc.constant("scope" as const), scope: fc.nat(1), n: fc.nat(9) })
)

/** The contents of all sources by name, and the scopes that are open: what a rebuild starts from. */
interface Inputs {
  readonly contents: Map<string, Map<string, Value>>
  readonly scopes: Set<number>
}

class World {
  readonly graph = new Graph()
  readonly topology: Topology
  readonly sources: Array<Source<Value>> = []
  readonly collections: Array<Collection<Value>> = []
  readonly indexes: Array<Index<Value>> = []
  readonly merge: Merged<Value>
  readonly checks: Array<() => void> = []
  readonly scopes = new Map<number, { readonly source: Source<Value>; readonly dispose: () => void }>()
  /** Runs per item in the current transaction. */
  runs = new Map<string, number>()

  constructor(topology: Topology) {
    this.topology = topology
    for (let n = 0; n < topology.sources; n++) {
      const source = this.graph.source<Value>(`source ${n}`, { equals })
      this.sources.push(source)
      this.keep(source)
    }
    this.build("node", topology.nodes, this.collections, this.indexes)
    this.merge = this.graph.merge<Value>("merge")
    this.keep(this.merge)
    this.build("below", topology.below, [this.merge, ...this.collections], this.indexes)
  }

  keep(collection: Collection<Value>): void {
    this.collections.push(collection)
    this.checks.push(assertReplays(collection))
  }

  /** Adds nodes to the two lists, each made from what the lists hold already. */
  build(
    prefix: string,
    specs: ReadonlyArray<NodeSpec>,
    collections: Array<Collection<Value>>,
    indexes: Array<Index<Value>>
  ): void {
    for (const [n, spec] of specs.entries()) {
      const name = `${prefix} ${n}`
      const from = collections[spec.from % collections.length]!
      const other = collections[spec.reads[0] % collections.length]!
      const index = indexes[spec.reads[1] % indexes.length]
      const reads = index === undefined ? [other] : [other, index]
      const options = { reads, equals }
      const make = (key: string, n: number, read: ItemReader<Value>): number => {
        this.runs.set(`${name}/${key}`, (this.runs.get(`${name}/${key}`) ?? 0) + 1)
        return compute(n + spec.salt, read, other, index)
      }
      const keep = (collection: Collection<Value>): void => {
        if (collections === this.collections) this.keep(collection)
        else {
          collections.push(collection)
          this.checks.push(assertReplays(collection))
        }
      }
      if (spec.kind === "index") {
        indexes.push(this.graph.index(name, from, ({ n }, key) => [keyFor(n), key, keyFor(n + spec.salt)]))
      } else if (spec.kind === "merge") {
        keep(this.graph.merge(name, from === other ? [from] : [from, other]))
      } else if (spec.kind === "map" || (spec.kind === "group" && index === undefined)) {
        keep(
          this.graph.map<Value, Value>(
            name,
            from,
            (key, { n }, read) => {
              const result = make(key, n, read)
              return result % 5 === 0 ? undefined : { n: result }
            },
            options
          )
        )
      } else if (spec.kind === "flatMap") {
        keep(
          this.graph.flatMap<Value, Value>(
            name,
            from,
            (key, { n }, read) => {
              const result = make(key, n, read)
              return Array.from({ length: result % 4 }, (_, i) => [keyFor(result + 2 * i), { n: result + i }])
            },
            options
          )
        )
      } else if (index !== undefined) {
        keep(
          this.graph.group<Value, Value>(
            name,
            index,
            // Depends on the order of the entries.
            (key, entries, read) => ({
              n: make(
                key,
                entries.reduce((sum, [at, { n }]) => (sum * 3 + at.charCodeAt(0) + n) % 1000, 0),
                read
              )
            }),
            options
          )
        )
      }
    }
  }

  open(scope: number): void {
    const { value: source, dispose } = this.graph.scope(() => {
      const source = this.graph.source<Value>(`scope ${scope}`, { equals })
      const collections: Array<Collection<Value>> = [...this.sources, source]
      this.build(`scope ${scope} node`, this.topology.scoped, collections, [])
      // Twice, so that the merge has several inputs even with one scope.
      this.merge.add(collections.at(-1)!)
      if (collections.at(-1) !== source) this.merge.add(source)
      return source
    })
    this.scopes.set(scope, { source, dispose })
  }

  /** The sources of open scopes too. */
  get writable(): ReadonlyArray<Source<Value>> {
    return [...this.sources, ...Array.from(this.scopes.values(), ({ source }) => source)]
  }

  /** Throwing derivations are part of the game: they must be reported, and change nothing else. */
  transaction(run: () => void): void {
    this.runs = new Map()
    try {
      this.graph.transaction(run)
    } catch (error) {
      if (!(error instanceof AggregateError)) throw error
      for (const each of error.errors) assert.match(String(each), /an unlucky number/)
    }
    for (const [item, count] of this.runs) assert.strictEqual(count, 1, `${item} ran ${count} times`)
  }

  state(): unknown {
    return {
      collections: this.collections.map((collection) => [collection.name, sorted(collection)]),
      indexes: this.indexes.map((index) => [
        index.name,
        [...index.keys()].toSorted().map((key) => [key, index.lookup(key)])
      ])
    }
  }
}

/** What is read depends on what was read; misses are read too. */
function compute(n: number, read: Reader, other: Collection<Value>, index: Index<Value> | undefined): number {
  if (n % 4 === 0) return n
  const there = read.get(other, keyFor(n))
  if (there !== undefined && there.n % 13 === 12) throw new Error("an unlucky number")
  const entries = index === undefined || n % 4 === 1 ? [] : read.lookup(index, keyFor(there?.n ?? n))
  const again = n % 4 === 2 ? (read.get(other, keyFor(n + ((there?.n ?? 1) % 2)))?.n ?? 2) : 0
  return entries.reduce(
    (sum, [key, value]) => (sum * 3 + key.charCodeAt(0) + value.n) % 100,
    (there?.n ?? 7) + again + n
  )
}

function apply(world: World, inputs: Inputs, operation: Operation): void {
  if (operation.do === "scope") {
    const name = `scope ${operation.scope}`
    const open = world.scopes.get(operation.scope)
    if (open === undefined) {
      world.open(operation.scope)
      inputs.scopes.add(operation.scope)
      inputs.contents.set(name, new Map([["a", { n: operation.n }]]))
      world.scopes.get(operation.scope)!.source.set("a", { n: operation.n })
    } else {
      open.dispose()
      world.scopes.delete(operation.scope)
      inputs.scopes.delete(operation.scope)
      inputs.contents.delete(name)
    }
    return
  }
  const source = world.writable[operation.source % world.writable.length]!
  const content = inputs.contents.get(source.name) ?? new Map<string, Value>()
  inputs.contents.set(source.name, content)
  if (operation.do === "replace") {
    content.clear()
    for (const n of operation.ns) content.set(keyFor(n), { n })
    source.replace(operation.ns.map((n) => [keyFor(n), { n }]))
  } else if (operation.n === undefined) {
    content.delete(keyFor(operation.key))
    source.delete(keyFor(operation.key))
  } else {
    content.set(keyFor(operation.key), { n: operation.n })
    source.set(keyFor(operation.key), { n: operation.n })
  }
}

/** The same graph, filled in another order, in one go when `together`, else key by key. */
function rebuild(topology: Topology, inputs: Inputs, together: boolean): World {
  const world = new World(topology)
  const fill = (): void => {
    for (const scope of [1, 0].filter((scope) => inputs.scopes.has(scope))) world.open(scope)
    for (const source of world.writable.toReversed()) {
      for (const [key, value] of [...(inputs.contents.get(source.name) ?? [])].toReversed()) {
        if (together) source.set(key, value)
        else world.transaction(() => source.set(key, value))
      }
    }
  }
  if (together) world.transaction(fill)
  else fill()
  return world
}

it("Graph incremental state is the rebuilt state, batches replay, items run once, nothing is left over", () => {
  fc.assert(
    fc.property(
      topology,
      fc.array(fc.array(operation, { minLength: 1, maxLength: 5 }), { maxLength: 8 }),
      (topology, batches) => {
        const world = new World(topology)
        const inputs: Inputs = { contents: new Map(), scopes: new Set() }
        const { nodes } = world.graph.sizes()
        for (const [n, batch] of batches.entries()) {
          world.transaction(() => {
            for (const operation of batch) apply(world, inputs, operation)
          })
          assert.deepStrictEqual(world.state(), rebuild(topology, inputs, n % 2 === 0).state())
          for (const check of world.checks) check()
        }
        world.transaction(() => {
          for (const { dispose } of world.scopes.values()) dispose()
        })
        for (const source of world.sources) world.transaction(() => source.replace([]))
        assert.deepStrictEqual(world.graph.sizes(), {
          nodes,
          entries: 0,
          indexKeys: 0,
          items: 0,
          watchedKeys: 0
        })
      }
    ),
    { numRuns: 400 }
  )
})
