import { assert, describe, it } from "@effect/vitest"
import { assertReplays, sorted } from "../testing.ts"
import { Graph } from "./graph.ts"

describe("Graph.scope", () => {
  it("takes its entries out of every merge in one transaction, and leaves nothing behind", () => {
    const graph = new Graph()
    const nodes = graph.source<string>("nodes")
    const all = graph.merge<string>("all")
    const check = assertReplays(all)
    const before = graph.sizes()
    const { value, dispose } = graph.scope(() => {
      const pods = graph.source<string>("pods")
      const zoned = graph.map("zoned", pods, (_, node, read) => read.get(nodes, node) ?? "none", {
        reads: [nodes]
      })
      graph.index("by zone", zoned, (zone) => [zone])
      all.add(zoned)
      return { pods, zoned }
    })
    value.pods.replace([
      ["a", "n1"],
      ["b", "n2"]
    ])
    assert.strictEqual(all.size, 2)
    let batches = 0
    all.subscribe(() => batches++)
    dispose()
    dispose()
    assert.strictEqual(batches, 1)
    assert.deepStrictEqual([all.size, value.zoned.size], [0, 0])
    assert.deepStrictEqual(graph.sizes(), before)
    check()
    assert.throws(() => value.pods.set("c", "n1"), 'Cannot write pods "c": its scope was disposed')
    assert.throws(() => graph.map("late", value.zoned, () => 1), "Cannot use zoned")
  })

  it("takes along what was derived from it elsewhere, but not merges", () => {
    const graph = new Graph()
    const { value: inside, dispose } = graph.scope(() => graph.source<number>("inside"))
    const outside = graph.map("outside", inside, (_, n) => n)
    const merged = graph.merge("merged", [outside])
    inside.set("a", 1)
    assert.strictEqual(merged.size, 1)
    dispose()
    assert.deepStrictEqual([outside.size, merged.size], [0, 0])
    assert.strictEqual(graph.sizes().nodes, 1)
  })

  it("tells the listeners of what it removes that everything is gone", () => {
    const graph = new Graph()
    const { value: source, dispose } = graph.scope(() => graph.source<number>("source"))
    const check = assertReplays(source)
    source.set("a", 1)
    graph.transaction(() => {
      source.set("b", 2)
      dispose()
    })
    check()
  })

  it("goes with the scope around it", () => {
    const graph = new Graph()
    const outer = graph.scope(() => graph.scope(() => graph.source<number>("inner")))
    const kept = graph.source<number>("kept")
    outer.dispose()
    outer.value.dispose()
    assert.throws(() => outer.value.value.set("a", 1), "its scope was disposed")
    kept.set("a", 1)
    assert.deepStrictEqual(sorted(kept), [["a", 1]])
  })

  it("removes what was built when building throws", () => {
    const graph = new Graph()
    assert.throws(
      () =>
        graph.scope(() => {
          graph.source("half")
          throw new Error("no more")
        }),
      "no more"
    )
    assert.strictEqual(graph.sizes().nodes, 0)
  })

  it("does not own what a listener creates while it is built", () => {
    const graph = new Graph()
    const source = graph.source<number>("source")
    source.subscribe(() => graph.source("created by a listener"))
    graph.scope(() => source.set("a", 1)).dispose()
    assert.strictEqual(graph.sizes().nodes, 2)
  })
})
