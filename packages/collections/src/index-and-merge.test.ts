import { assert, describe, it } from "@effect/vitest"
import { assertReplays, sorted } from "../testing.ts"
import { Graph } from "./graph.ts"

const labelled = () => {
  const graph = new Graph()
  const pods = graph.source<{ readonly labels: ReadonlyArray<string>; readonly ip: string }>("pods")
  const byLabel = graph.index("by label", pods, ({ labels }) => labels)
  return { graph, pods, byLabel }
}
const keysOf = (entries: ReadonlyArray<readonly [string, unknown]>) => entries.map(([key]) => key)

describe("Graph.index", () => {
  it("sorts by entry key whatever the order of events, one by one and in bulk", () => {
    const { graph, pods, byLabel } = labelled()
    for (const key of ["d", "b", "c"]) pods.set(key, { labels: ["x", "x"], ip: key })
    graph.transaction(() => {
      for (const key of ["e", "a", "c"]) pods.set(key, { labels: ["x"], ip: "new" })
      pods.delete("b")
    })
    assert.deepStrictEqual(keysOf(byLabel.lookup("x")), ["a", "c", "d", "e"])
    assert.strictEqual(byLabel.lookup("x")[1]?.[1].ip, "new")
  })

  it("keeps the array while nothing in it changes", () => {
    const { pods, byLabel } = labelled()
    pods.set("a", { labels: ["x"], ip: "1" })
    const before = byLabel.lookup("x")
    pods.set("b", { labels: ["y"], ip: "2" })
    assert.strictEqual(byLabel.lookup("x"), before)
    assert.strictEqual(byLabel.lookup("none"), byLabel.lookup("nothing"))
  })

  it("moves entries between keys and forgets empty ones", () => {
    const { pods, byLabel } = labelled()
    pods.set("a", { labels: ["x", "y"], ip: "1" })
    pods.set("a", { labels: ["y", "z"], ip: "1" })
    assert.deepStrictEqual([...byLabel.keys()].toSorted(), ["y", "z"])
    pods.delete("a")
    assert.deepStrictEqual([...byLabel.keys()], [])
  })

  it("leaves out an entry whose keys cannot be computed, and says so", () => {
    const graph = new Graph()
    const from = graph.source<number>("from")
    const index = graph.index("index", from, (n) => {
      if (n < 0) throw new Error("negative")
      return [String(n)]
    })
    from.set("a", 1)
    assert.throws(() => from.set("a", -1), 'Cannot derive index "a": negative')
    assert.deepStrictEqual([...index.keys()], [])
    from.set("a", 2)
    assert.deepStrictEqual([...index.keys()], ["2"])
  })

  it("drives a group per key, while there are entries", () => {
    const { pods, byLabel, graph } = labelled()
    const sizes = graph.group("sizes", byLabel, (_, entries) => entries.length)
    const check = assertReplays(sizes)
    pods.set("a", { labels: ["x", "y"], ip: "1" })
    pods.set("b", { labels: ["x"], ip: "2" })
    assert.deepStrictEqual(sorted(sizes), [
      ["x", 2],
      ["y", 1]
    ])
    pods.delete("a")
    assert.deepStrictEqual(sorted(sizes), [["x", 1]])
    check()
  })
})

const two = () => {
  const graph = new Graph()
  const [b, a] = [graph.source<string>("b"), graph.source<string>("a")]
  const merged = graph.merge("merged", [b])
  return { graph, a, b, merged }
}

describe("Graph.merge", () => {
  it("prefers the input whose name sorts first, whatever the order of adding", () => {
    const { a, b, merged } = two()
    b.set("k", "of b")
    a.set("k", "of a")
    assert.strictEqual(merged.get("k"), "of b")
    const remove = merged.add(a)
    assert.strictEqual(merged.get("k"), "of a")
    a.delete("k")
    assert.strictEqual(merged.get("k"), "of b")
    a.set("k", "again")
    assert.strictEqual(merged.get("k"), "again")
    remove()
    remove()
    assert.deepStrictEqual(sorted(merged), [["k", "of b"]])
  })

  it("runs after inputs that were created later, and so does what is below", () => {
    const { graph, a, b, merged } = two()
    const below = graph.map("below", merged, (_, value) => value)
    const chain = [1, 2, 3].reduce(
      (from, n) => graph.map(`chain ${n}`, from, (_, value) => value),
      graph.map("chain 0", a, (_, v) => v)
    )
    let runs = 0
    const join = graph.map("join", b, (key, _, read) => `${++runs} ${read.get(below, key)}`, {
      reads: [below]
    })
    merged.add(chain)
    graph.transaction(() => {
      a.set("k", "late")
      b.set("k", "early")
    })
    assert.strictEqual(join.get("k"), "1 early")
    graph.transaction(() => {
      a.set("m", "late")
      b.set("m", "early")
      b.delete("k")
    })
    assert.deepStrictEqual(sorted(below), [
      ["k", "late"],
      ["m", "early"]
    ])
  })

  it("moves what waits to run when its rank rises", () => {
    const { graph, a, merged } = two()
    const chain = graph.map("chain", a, (_, value) => value)
    let runs = 0
    const below = graph.transaction(() => {
      const below = graph.map("below", merged, (_, value) => `${++runs} ${value}`)
      merged.add(chain)
      a.set("k", "v")
      return below
    })
    assert.strictEqual(below.get("k"), "1 v")
  })

  it("sees a key that was deleted and written back in the transaction of adding", () => {
    const { graph, a, merged } = two()
    a.set("k", "v")
    graph.transaction(() => {
      a.delete("k")
      merged.add(a)
      a.set("k", "v")
    })
    assert.strictEqual(merged.get("k"), "v")
  })

  it("refuses cycles and inputs that it has", () => {
    const { graph, b, merged } = two()
    const below = graph.map("below", merged, (_, value) => value)
    assert.throws(() => merged.add(below), "Cannot derive merged from below: below is derived from it")
    assert.throws(() => merged.add(merged), "Cannot derive merged from merged")
    assert.throws(() => merged.add(b), "Cannot add b to merged: it already is an input")
    b.set("k", "still works")
    assert.strictEqual(below.get("k"), "still works")
  })
})
