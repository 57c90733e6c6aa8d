import { assert, describe, it } from "@effect/vitest"
import { assertReplays, sorted } from "../testing.ts"
import type { Change } from "./collection.ts"
import type { Commit } from "./commit.ts"
import { Graph } from "./graph.ts"

/** `doubled` of `numbers`, and the batches that it publishes. */
const fixture = () => {
  const graph = new Graph()
  const numbers = graph.source<number>("numbers")
  const doubled = graph.map("doubled", numbers, (_, n) => n * 2)
  const batches: Array<ReadonlyArray<Change<number>>> = []
  doubled.subscribe((changes) => batches.push(changes))
  return { graph, numbers, doubled, batches }
}

describe("Graph.transaction", () => {
  it("returns what its function returns", () => {
    assert.strictEqual(
      new Graph().transaction(() => 42),
      42
    )
  })

  it("publishes once, and a nested one joins the outer one", () => {
    const { graph, numbers, batches } = fixture()
    graph.transaction(() => {
      numbers.set("a", 1)
      graph.transaction(() => numbers.set("b", 2))
      assert.strictEqual(batches.length, 0)
    })
    assert.deepStrictEqual(batches, [
      [
        { key: "a", old: undefined, now: 2 },
        { key: "b", old: undefined, now: 4 }
      ]
    ])
  })

  it("shows new values of sources and old ones of what is derived until it ends", () => {
    const { graph, numbers, doubled } = fixture()
    numbers.set("a", 1)
    graph.transaction(() => {
      numbers.set("a", 5)
      assert.strictEqual(numbers.get("a"), 5)
      assert.strictEqual(doubled.get("a"), 2)
    })
    assert.strictEqual(doubled.get("a"), 10)
  })

  it("does nothing when what was written is what was there", () => {
    const { graph, numbers, batches } = fixture()
    numbers.set("a", 1)
    const before = graph.stats
    graph.transaction(() => {
      numbers.set("a", 2)
      numbers.delete("a")
      numbers.set("a", 1)
      numbers.set("b", 1)
      numbers.delete("b")
      numbers.delete("c")
    })
    assert.strictEqual(graph.stats.recomputed, before.recomputed)
    assert.strictEqual(batches.length, 1)
  })

  it("propagates what was written before its function threw, and throws that error", () => {
    const { graph, numbers, doubled } = fixture()
    const error = new Error("half way")
    assert.throws(
      () =>
        graph.transaction(() => {
          numbers.set("a", 1)
          throw error
        }),
      error
    )
    assert.strictEqual(doubled.get("a"), 2)
  })

  it("begun by a listener writes at once and propagates after the publication", () => {
    const { graph, numbers, doubled } = fixture()
    const log: Array<string> = []
    doubled.subscribe(([change]) => {
      log.push(`first ${change?.now}`)
      if (change?.now === 2) {
        numbers.set("a", 10)
        log.push(`numbers ${numbers.get("a")}, doubled ${doubled.get("a")}`)
      }
    })
    doubled.subscribe(([change]) => log.push(`second ${change?.now}`))
    const check = assertReplays(doubled)
    const before = graph.stats.transactions
    numbers.set("a", 1)
    assert.deepStrictEqual(log, ["first 2", "numbers 10, doubled 2", "second 2", "first 20", "second 20"])
    assert.strictEqual(graph.stats.transactions, before + 2)
    check()
  })

  it("calls every listener when one throws, then throws", () => {
    const { numbers, doubled, batches } = fixture()
    doubled.subscribe(() => {
      throw new Error("no")
    })
    let told = 0
    doubled.subscribe(() => told++)
    assert.throws(() => numbers.set("a", 1), "Listener of doubled failed: no")
    assert.strictEqual(told, 1)
    assert.strictEqual(batches.length, 1)
    assert.throws(() => numbers.set("a", 2), AggregateError)
  })

  it("does not tell a listener that unsubscribed meanwhile, nor one that subscribed meanwhile", () => {
    const { numbers, doubled } = fixture()
    const log: Array<string> = []
    doubled.subscribe(() => {
      stop()
      doubled.subscribe(() => log.push("late"))
    })
    const stop = doubled.subscribe(() => log.push("stopped"))
    numbers.set("a", 1)
    assert.deepStrictEqual(log, [])
    numbers.set("a", 2)
    assert.deepStrictEqual(log, ["late"])
  })

  it("is refused inside a derivation", () => {
    const graph = new Graph()
    const from = graph.source<number>("from")
    const other = graph.source<number>("other")
    graph.map("impure", from, (key, n) => other.set(key, n))
    assert.throws(() => from.set("a", 1), /derivations must not change the graph/)
    assert.strictEqual(other.size, 0)
  })
})

describe("Graph.onCommit", () => {
  it("tells what changed, in order, until it is stopped", () => {
    const { graph, numbers } = fixture()
    const commits: Array<Commit> = []
    const stop = graph.onCommit((commit) => commits.push(commit))
    numbers.set("a", 1)
    stop()
    numbers.set("a", 2)
    assert.deepStrictEqual(commits, [
      {
        sequence: graph.stats.transactions - 1,
        recomputed: 1,
        changed: [
          { name: "numbers", size: 1, changes: 1 },
          { name: "doubled", size: 1, changes: 1 }
        ]
      }
    ])
  })
})

describe("Source", () => {
  it("replace deletes what is missing and leaves what is equal", () => {
    const graph = new Graph()
    const source = graph.source<{ n: number }>("source", { equals: (a, b) => a.n === b.n })
    const a = { n: 1 }
    source.set("a", a)
    source.set("b", { n: 2 })
    const batches: Array<ReadonlyArray<Change<{ n: number }>>> = []
    source.subscribe((changes) => batches.push(changes))
    source.replace([
      ["a", { n: 1 }],
      ["c", { n: 0 }],
      ["c", { n: 3 }]
    ])
    assert.strictEqual(source.get("a"), a)
    assert.deepStrictEqual(sorted(source), [
      ["a", { n: 1 }],
      ["c", { n: 3 }]
    ])
    assert.deepStrictEqual(
      batches.map((changes) => changes.map(({ key }) => key)),
      [["b", "c"]]
    )
  })
})
