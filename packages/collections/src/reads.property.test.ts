import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { Graph } from "./graph.ts"

const key = fc.constantFrom("a", "b", "c", "d")

/** What one item reads, in this order, often a key more than once; or what there is under a key. */
const step = fc.oneof(
  fc.record({ item: fc.constantFrom("x", "y"), reads: fc.array(key, { maxLength: 14 }) }),
  fc.record({ key, value: fc.constantFrom("1", "2", undefined) })
)

describe("a derivation that reads what its input says", () => {
  it("is what it would be if it were new, however its reads change between others that stay", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
        const graph = new Graph()
        const before = graph.sizes()
        const { dispose, value } = graph.scope(() => {
          const texts = graph.source<string>("texts")
          const items = graph.source<ReadonlyArray<string>>("items")
          const joined = graph.map(
            "joined",
            items,
            (_, reads, read) => reads.map((one) => read.get(texts, one) ?? "-").join(""),
            { reads: [texts] }
          )
          return { texts, items, joined }
        })
        const { items, joined, texts } = value
        for (const one of steps) {
          if ("item" in one) items.set(one.item, one.reads)
          else if (one.value === undefined) texts.delete(one.key)
          else texts.set(one.key, one.value)
          for (const [item, reads] of items.entries())
            assert.strictEqual(joined.get(item), reads.map((name) => texts.get(name) ?? "-").join(""))
          assert.strictEqual(graph.sizes().watchedKeys, new Set([...items.values()].flat()).size)
        }
        // Nobody is watched any more whom nobody reads.
        items.replace([])
        assert.strictEqual(graph.sizes().watchedKeys, 0)
        dispose()
        assert.deepStrictEqual(graph.sizes(), before)
      }),
      { numRuns: 500 }
    )
  })
})
