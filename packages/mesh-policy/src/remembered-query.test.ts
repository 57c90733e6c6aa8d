import { assert, describe, it } from "@effect/vitest"
import { Graph, untracked } from "@istiod-lite/collections"
import { rememberedQuery } from "./remembered-query.ts"

const setUp = (capacity = 10) => {
  const graph = new Graph()
  const numbers = graph.source<number>("numbers")
  const index = graph.index("by parity", numbers, (n) => [n % 2 === 0 ? "even" : "odd"])
  const runs: Array<string> = []
  const query = rememberedQuery<{ readonly sum: number }>(
    graph,
    (read, key) => {
      runs.push(key)
      const sum = read.lookup(index, key).reduce((total, [, n]) => total + n, 0)
      return { sum: sum === 0 ? (read.get(numbers, "default") ?? 0) : sum }
    },
    { capacity, equals: (a, b) => a.sum === b.sum }
  )
  return { graph, index, numbers, query, runs }
}

describe("rememberedQuery", () => {
  it("computes again only when something that it read changed", () => {
    const { numbers, query, runs } = setUp()
    numbers.set("a", 1)
    const first = query(untracked, "odd")
    assert.strictEqual(query(untracked, "odd"), first)
    numbers.set("b", 2)
    assert.strictEqual(query(untracked, "odd"), first)
    numbers.set("c", 3)
    assert.deepEqual(query(untracked, "odd"), { sum: 4 })
    assert.deepEqual(runs, ["odd", "odd"])
  })

  it("notices a change of what was not there", () => {
    const { numbers, query } = setUp()
    assert.deepEqual(query(untracked, "odd"), { sum: 0 })
    numbers.set("default", 8)
    assert.deepEqual(query(untracked, "odd"), { sum: 8 })
  })

  it("keeps the identity of an equal value", () => {
    const { graph, numbers, query, runs } = setUp()
    numbers.set("a", 5)
    const first = query(untracked, "odd")
    graph.transaction(() => {
      numbers.set("a", 3)
      numbers.set("b", 1)
      numbers.set("c", 1)
    })
    assert.strictEqual(query(untracked, "odd"), first)
    assert.lengthOf(runs, 2)
  })

  it("wakes a derivation that asks, whether the value was remembered or not", () => {
    const { graph, index, numbers, query } = setUp()
    numbers.set("a", 1)
    query(untracked, "odd")
    const keys = graph.source<string>("keys")
    keys.set("k", "odd")
    const sums = graph.map<string, number>("sums", keys, (_, key, read) => query(read, key).sum, {
      reads: [index, numbers]
    })
    assert.strictEqual(sums.get("k"), 1)
    numbers.set("b", 7)
    assert.strictEqual(sums.get("k"), 8)
    numbers.set("b", 9)
    assert.strictEqual(sums.get("k"), 10)
  })

  it("forgets the oldest key beyond its capacity", () => {
    const { query, runs } = setUp(2)
    for (const key of ["a", "b", "c", "b", "a"]) query(untracked, key)
    assert.deepEqual(runs, ["a", "b", "c", "a"])
  })
})
