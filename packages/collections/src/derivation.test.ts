import { assert, describe, it } from "@effect/vitest"
import { sorted } from "../testing.ts"
import type { Change } from "./collection.ts"
import { DerivationError } from "./errors.ts"
import { Graph } from "./graph.ts"
import type { ItemReader } from "./reader.ts"

describe("Graph.map", () => {
  it("gives no output for undefined", () => {
    const graph = new Graph()
    const from = graph.source<number>("from")
    const even = graph.map("even", from, (_, n) => (n % 2 === 0 ? n : undefined))
    from.replace([
      ["a", 1],
      ["b", 2]
    ])
    assert.deepStrictEqual(sorted(even), [["b", 2]])
    from.set("b", 3)
    assert.deepStrictEqual(sorted(even), [])
  })

  it("runs only the items that read what changed", () => {
    const graph = new Graph()
    const from = graph.source<string>("from")
    const zones = graph.source<string>("zones")
    const ran: Array<string> = []
    const node = graph.map(
      "node",
      from,
      (key, zone, read) => {
        ran.push(key)
        return read.get(zones, zone) ?? "none"
      },
      { reads: [zones] }
    )
    from.replace([
      ["a", "east"],
      ["b", "west"],
      ["c", "east"]
    ])
    ran.length = 0
    zones.set("east", "e")
    assert.deepStrictEqual(ran.toSorted(), ["a", "c"])
    zones.set("north", "n")
    from.delete("a")
    assert.strictEqual(ran.length, 2)
    assert.deepStrictEqual(sorted(node), [
      ["b", "none"],
      ["c", "e"]
    ])
  })

  it("follows reads that change from run to run", () => {
    const graph = new Graph()
    const from = graph.source<string>("from")
    const links = graph.source<string>("links")
    // The same key may be read twice on one path and once on another.
    const end = graph.map(
      "end",
      from,
      (_, start, read) => {
        const next = read.get(links, start) ?? "?"
        return next === "loop" ? read.get(links, start) : `${next} ${read.get(links, next) ?? "?"}`
      },
      { reads: [links] }
    )
    from.set("item", "x")
    for (const [next, want] of [
      ["loop", "loop"],
      ["y", "y ?"],
      ["z", "z ?"],
      ["loop", "loop"]
    ] as const) {
      links.set("x", next)
      assert.strictEqual(end.get("item"), want)
    }
    const { recomputed } = graph.stats
    links.set("z", "not read any more")
    assert.strictEqual(graph.stats.recomputed, recomputed)
    links.delete("z")
    from.delete("item")
    assert.strictEqual(graph.sizes().watchedKeys, 0)
    assert.strictEqual(graph.sizes().items, 0)
  })

  it("sees one consistent state in a diamond", () => {
    const graph = new Graph()
    const top = graph.source<number>("top")
    const left = graph.map("left", top, (_, n) => n + 1)
    const right = graph.map("right", left, (_, n) => n + 1)
    const seen: Array<number> = []
    const options = { reads: [right] }
    graph.map("bottom", left, (key, n, read) => void seen.push((read.get(right, key) ?? 0) - n), options)
    for (let n = 0; n < 3; n++) top.set("a", n)
    assert.deepStrictEqual(seen, [1, 1, 1])
  })

  it("stops at an equal output and keeps its identity", () => {
    const graph = new Graph()
    const from = graph.source<number>("from")
    const parity = graph.map("parity", from, (_, n) => ({ odd: n % 2 === 1 }), {
      equals: (a, b) => a.odd === b.odd
    })
    let runs = 0
    graph.map("below", parity, () => runs++)
    from.set("a", 1)
    const first = parity.get("a")
    from.set("a", 3)
    assert.strictEqual(parity.get("a"), first)
    assert.strictEqual(runs, 1)
    from.set("a", 4)
    assert.strictEqual(runs, 2)
  })

  it("fills at once from inputs that hold data, and at the end inside a transaction", () => {
    const graph = new Graph()
    const from = graph.source<number>("from")
    from.set("a", 1)
    assert.strictEqual(graph.map("at once", from, (_, n) => n).get("a"), 1)
    const changes: Array<Change<number>> = []
    const later = graph.transaction(() => {
      from.set("a", 2)
      const first = graph.map("first", from, (_, n) => n)
      const second = graph.map("second", first, (_, n) => n)
      second.subscribe((batch) => changes.push(...batch))
      assert.strictEqual(second.size, 0)
      return second
    })
    assert.strictEqual(later.get("a"), 2)
    assert.deepStrictEqual(changes, [{ key: "a", old: undefined, now: 2 }])
  })

  it("remembers its own last output", () => {
    const graph = new Graph()
    const from = graph.source<number>("from")
    const most = graph.map<number, number>("most", from, (key, n, read) => {
      assert.strictEqual(read.previous("other"), undefined)
      return Math.max(n, read.previous(key) ?? 0)
    })
    for (const n of [3, 5, 2]) from.set("a", n)
    assert.strictEqual(most.get("a"), 5)
    from.delete("a")
    from.set("a", 1)
    assert.strictEqual(most.get("a"), 1)
  })

  it("refuses to read what is not declared, or when it is not running", () => {
    const graph = new Graph()
    const from = graph.source<number>("from")
    const other = graph.source<number>("other")
    const index = graph.index("index", other, (n) => [String(n)])
    let leaked: ItemReader<number> | undefined
    graph.map<number, number>("careless", from, (key, _, read) => {
      leaked = read
      return key === "get" ? read.get(other, key) : read.lookup(index, key).length
    })
    assert.throws(() => from.set("get", 1), 'Cannot derive careless "get": Cannot read other in careless')
    assert.throws(
      () => from.set("lookup", 1),
      'Cannot derive careless "lookup": Cannot read index in careless'
    )
    assert.throws(() => leaked?.get(from, "a"), "Cannot read from in careless: its function is not running")
  })

  it("refuses collections of another graph", () => {
    const strange = new Graph().source<number>("strange")
    assert.throws(() => new Graph().map("node", strange, () => 1), "Cannot use strange")
  })

  it("loses the output of an item that throws, until an input of it changes", () => {
    const graph = new Graph()
    const from = graph.source<number>("from")
    const bad = graph.source<boolean>("bad")
    const node = graph.map(
      "node",
      from,
      (key, n, read) => {
        if (read.get(bad, key) === true) throw new Error(`${key} is bad`)
        return n
      },
      { reads: [bad] }
    )
    from.replace([
      ["a", 1],
      ["b", 2]
    ])
    try {
      graph.transaction(() => {
        bad.set("a", true)
        from.set("b", 3)
      })
      assert.fail("must throw")
    } catch (error) {
      assert.instanceOf(error, AggregateError)
      assert.strictEqual(error.message, 'Cannot derive node "a": a is bad')
      const [first] = error.errors as ReadonlyArray<unknown>
      assert.instanceOf(first, DerivationError)
      assert.deepStrictEqual([first.collection, first.key], ["node", "a"])
    }
    assert.deepStrictEqual(sorted(node), [["b", 3]])
    bad.delete("a")
    assert.deepStrictEqual(sorted(node), [
      ["a", 1],
      ["b", 3]
    ])
  })
})

const named = () => {
  const graph = new Graph()
  const from = graph.source<ReadonlyArray<string>>("from")
  const node = graph.flatMap("node", from, (key, names) => names.map((name) => [name, key] as const))
  return { graph, from, node }
}

describe("Graph.flatMap", () => {
  it("gives a contested key to the item that sorts first, whatever the order", () => {
    const { from, node } = named()
    from.set("b", ["x"])
    from.set("c", ["x"])
    assert.strictEqual(node.get("x"), "b")
    from.set("a", ["x", "y"])
    assert.strictEqual(node.get("x"), "a")
    from.set("a", ["y"])
    assert.strictEqual(node.get("x"), "b")
    from.delete("b")
    assert.strictEqual(node.get("x"), "c")
    from.delete("c")
    assert.deepStrictEqual(sorted(node), [["y", "a"]])
  })

  it("publishes a key that moves between items as one change", () => {
    const { graph, from, node } = named()
    from.set("b", ["x"])
    const batches: Array<ReadonlyArray<Change<string>>> = []
    node.subscribe((changes) => batches.push(changes))
    graph.transaction(() => {
      from.set("b", [])
      from.set("a", ["x"])
    })
    assert.deepStrictEqual(batches, [[{ key: "x", old: "b", now: "a" }]])
  })

  it("takes the last output of a key that an item gives twice", () => {
    const graph = new Graph()
    const from = graph.source<number>("from")
    const twice = graph.flatMap("twice", from, (_, n) => [
      ["x", n],
      ["x", n + 1]
    ])
    from.set("a", 1)
    assert.deepStrictEqual(sorted(twice), [["x", 2]])
  })

  it("keeps the identity of equal outputs, and finds the previous ones of long lists", () => {
    const graph = new Graph()
    const from = graph.source<number>("from")
    const node = graph.flatMap<number, { readonly n: number }>(
      "node",
      from,
      (_, n, read) =>
        Array.from({ length: 20 }, (_, i) => [
          `k${i}`,
          i === 0 ? { n: n + (read.previous("k19")?.n ?? 0) } : { n: i }
        ]),
      { equals: (a, b) => a.n === b.n }
    )
    from.set("a", 1)
    const before = node.get("k7")
    from.set("a", 2)
    assert.strictEqual(node.get("k7"), before)
    assert.deepStrictEqual(node.get("k0"), { n: 21 })
  })
})
