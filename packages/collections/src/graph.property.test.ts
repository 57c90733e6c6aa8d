import { assert, it } from "@effect/vitest"
import * as fc from "fast-check"
import { assertReplays, sorted } from "../testing.ts"
import type { Collection, Entry, Index, Merged, Source } from "./collection.ts"
import { Graph } from "./graph.ts"
import type { Reader } from "./reader.ts"

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
  readonly onDemand: boolean
}
const nodeSpec: fc.Arbitrary<NodeSpec> = fc.record({
  kind: fc.constantFrom("map", "flatMap", "group", "merge", "index"),
  from: fc.nat(20),
  reads: fc.tuple(fc.nat(20), fc.nat(20)),
  salt: fc.nat(5),
  onDemand: fc.boolean()
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
  /** What is compared with a rebuild: everything outside scopes. */
  readonly collections: Array<Collection<Value>> = []
  readonly indexes: Array<Index<Value>> = []
  /** Names of nodes on demand that nobody has asked for yet. */
  readonly unasked = new Set<string>()
  readonly merge: Merged<Value>
  readonly scopes = new Map<number, { readonly source: Source<Value>; readonly dispose: () => void }>()
  readonly checks: Array<() => void> = []
  /** Runs per item in the current transaction. */
  readonly runs = new Map<string, number>()

  constructor(topology: Topology) {
    this.topology = topology
    for (let n = 0; n < topology.sources; n++) {
      this.sources.push(this.keep(this.collections, this.graph.source<Value>(`source ${n}`, { equals })))
    }
    this.build("node", topology.nodes, this.collections, this.indexes)
    this.merge = this.keep(this.collections, this.graph.merge<Value>("merge"))
    this.build("below", topology.below, this.collections, this.indexes)
  }

  keep<C extends Collection<Value>>(collections: Array<Collection<Value>>, collection: C): C {
    collections.push(collection)
    if (!this.unasked.has(collection.name)) this.checks.push(assertReplays(collection))
    return collection
  }

  /** Reads a node on demand, and follows it from now on. */
  ask(name: string): void {
    if (!this.unasked.delete(name)) return
    const collection = this.collections.find((one) => one.name === name)
    if (collection !== undefined) this.checks.push(assertReplays(collection))
    else this.indexes.find((one) => one.name === name)?.lookup("a")
  }

  /** Adds nodes to the two lists, each made from what the lists hold already, the newest first. */
  build(
    prefix: string,
    specs: ReadonlyArray<NodeSpec>,
    collections: Array<Collection<Value>>,
    indexes: Array<Index<Value>>
  ): void {
    for (const [n, spec] of specs.entries()) {
      const name = `${prefix} ${n}`
      if (spec.onDemand) this.unasked.add(name)
      const [from, other] = [spec.from, spec.reads[0]].map((pick) =>
        collections.at(-1 - (pick % collections.length))!
      )
      const index = indexes.at(-1 - (spec.reads[1] % indexes.length))
      if (spec.kind === "index") {
        const keysOf = ({ n }: Value, key: string) => [keyFor(n), key, keyFor(n + spec.salt)]
        indexes.push(this.graph.index(name, from!, keysOf, { onDemand: spec.onDemand }))
      } else {
        this.keep(collections, this.derive(name, spec, from!, other!, index))
      }
    }
  }

  derive(
    name: string,
    { kind, onDemand, salt }: NodeSpec,
    from: Collection<Value>,
    other: Collection<Value>,
    index: Index<Value> | undefined
  ): Collection<Value> {
    const options = { reads: index === undefined ? [other] : [other, index], equals, onDemand }
    const run = (key: string, n: number, read: Reader): number => {
      this.runs.set(`${name}/${key}`, (this.runs.get(`${name}/${key}`) ?? 0) + 1)
      return compute(n + salt, read, other, index)
    }
    if (kind === "merge") return this.graph.merge(name, from === other ? [from] : [from, other], { onDemand })
    if (kind === "group" && index !== undefined) {
      const group = (key: string, entries: ReadonlyArray<Entry<Value>>, read: Reader): Value => ({
        n: run(key, digest(entries, 0), read)
      })
      return this.graph.group(name, index, group, options)
    }
    if (kind === "flatMap") {
      const several = (key: string, { n }: Value, read: Reader): ReadonlyArray<Entry<Value>> => {
        const result = run(key, n, read)
        return Array.from({ length: result % 4 }, (_, i) => [keyFor(result + 2 * i), { n: result + i }])
      }
      return this.graph.flatMap(name, from, several, options)
    }
    const some = (key: string, { n }: Value, read: Reader): Value | undefined => {
      const result = run(key, n, read)
      return result % 5 === 0 ? undefined : { n: result }
    }
    return this.graph.map(name, from, some, options)
  }

  open(scope: number): void {
    const { value, dispose } = this.graph.scope(() => {
      const source = this.graph.source<Value>(`scope ${scope}`, { equals })
      const collections: Array<Collection<Value>> = [...this.sources, source]
      this.build(`scope ${scope} node`, this.topology.scoped, collections, [])
      for (const last of new Set([source, collections.at(-1)!])) this.merge.add(last)
      return source
    })
    this.scopes.set(scope, { source: value, dispose })
  }

  close(scope: number): void {
    this.scopes.get(scope)?.dispose()
    this.scopes.delete(scope)
  }

  get writable(): ReadonlyArray<Source<Value>> {
    return [...this.sources, ...Array.from(this.scopes.values(), ({ source }) => source)]
  }

  /** Throwing derivations are part of the game: they must be reported, and change nothing else. */
  transaction(write: () => void): void {
    this.runs.clear()
    try {
      this.graph.transaction(write)
    } catch (error) {
      if (!(error instanceof AggregateError)) throw error
      for (const each of error.errors) assert.match(String(each), /an unlucky number/)
    }
    for (const [item, count] of this.runs) assert.strictEqual(count, 1, `${item} ran ${count} times`)
  }

  /** Of all nodes but those. */
  state(unasked: ReadonlySet<string>): unknown {
    return {
      collections: this.collections
        .filter(({ name }) => !unasked.has(name))
        .map((collection) => [collection.name, sorted(collection)]),
      indexes: this.indexes
        .filter(({ name }) => !unasked.has(name))
        .map((index) => [index.name, [...index.keys()].toSorted().map((key) => [key, index.lookup(key)])])
    }
  }
}

/** Depends on the order of the entries. */
const digest = (entries: ReadonlyArray<Entry<Value>>, start: number): number =>
  entries.reduce((sum, [key, { n }]) => (sum * 3 + key.charCodeAt(0) + n) % 100, start)

/** What is read depends on what was read; misses are read too. */
function compute(n: number, read: Reader, other: Collection<Value>, index: Index<Value> | undefined): number {
  if (n % 4 === 0) return n
  const there = read.get(other, keyFor(n))
  if (there !== undefined && there.n % 13 === 12) throw new Error("an unlucky number")
  const entries = index === undefined || n % 4 === 1 ? [] : read.lookup(index, keyFor(there?.n ?? n))
  const again = n % 4 === 2 ? (read.get(other, keyFor(n + ((there?.n ?? 1) % 2)))?.n ?? 2) : 0
  return digest(entries, (there?.n ?? 7) + again + n)
}

/** Does an operation in the world and in the record of what it holds. */
function apply(world: World, inputs: Inputs, operation: Operation): void {
  if (operation.do === "scope") {
    const { scope, n } = operation
    if (world.scopes.has(scope)) {
      world.close(scope)
      inputs.scopes.delete(scope)
      inputs.contents.delete(`scope ${scope}`)
    } else {
      world.open(scope)
      inputs.scopes.add(scope)
      world.scopes.get(scope)!.source.set("a", { n })
      inputs.contents.set(`scope ${scope}`, new Map([["a", { n }]]))
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
      fc.array(
        fc.string({ unit: fc.constantFrom("0", "1", "2", "3", "4", "5"), minLength: 1, maxLength: 1 })
      ),
      (topology, batches, asked) => {
        const world = new World(topology)
        const inputs: Inputs = { contents: new Map(), scopes: new Set() }
        const { nodes } = world.graph.sizes()
        for (const [n, batch] of batches.entries()) {
          for (const prefix of ["node", "below"]) world.ask(`${prefix} ${asked[n]}`)
          world.transaction(() => {
            for (const operation of batch) apply(world, inputs, operation)
          })
          assert.deepStrictEqual(
            world.state(world.unasked),
            rebuild(topology, inputs, n % 2 === 0).state(world.unasked)
          )
          for (const check of world.checks) check()
        }
        world.transaction(() => {
          for (const scope of world.scopes.keys()) world.close(scope)
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
