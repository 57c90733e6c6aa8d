import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { InterestIndex } from "./interest-index.ts"

const hostOf = (name: string): string => name.slice(name.lastIndexOf("|") + 1)
const names = ["80|a", "81|a", "80|b", "80|c"]

const found = (index: InterestIndex<string>, subjects: ReadonlyArray<string>): ReadonlyArray<string> => {
  const hits: Array<string> = []
  index.forEachTouched(new Set(subjects), (stream, touched) => {
    hits.push(...(touched === "all" ? [`${stream}: all`] : touched.map((name) => `${stream}: ${name}`)))
  })
  return hits.toSorted()
}

describe("InterestIndex", () => {
  it("finds the names of a subject and who subscribes to them", () => {
    const index = new InterestIndex<string>(hostOf)
    for (const name of ["80|a", "81|a", "80|b"]) index.listenerOf("s1").subscribed(name)
    index.listenerOf("s2").subscribed("80|a")
    index.setWildcard("s3", true)
    assert.deepStrictEqual(found(index, ["a"]), ["s1: 80|a", "s1: 81|a", "s2: 80|a", "s3: all"])
    assert.deepStrictEqual(found(index, []), [])
  })

  it("keeps each name once", () => {
    const index = new InterestIndex<string>()
    const [first, second] = [["x"].concat("y").join(), ["x"].concat("y").join()]
    assert.strictEqual(index.listenerOf("s1").subscribed(first), first)
    assert.strictEqual(index.listenerOf("s2").subscribed(second), first)
    assert.strictEqual(index.size, 1)
  })

  it("equals a look through all subscriptions, and is empty when all are gone", () => {
    const step = fc.record({
      stream: fc.constantFrom("s1", "s2", "s3"),
      name: fc.constantFrom(...names),
      subscribe: fc.boolean()
    })
    fc.assert(
      fc.property(fc.array(step), fc.subarray(["a", "b", "c", "d"]), (steps, subjects) => {
        const index = new InterestIndex<string>(hostOf)
        const model = new Set<string>()
        for (const { name, stream, subscribe } of steps) {
          if (subscribe) index.listenerOf(stream).subscribed(name)
          else index.listenerOf(stream).unsubscribed(name)
          if (subscribe) model.add(`${stream}: ${name}`)
          else model.delete(`${stream}: ${name}`)
        }
        const expected = [...model].filter((hit) => subjects.includes(hostOf(hit))).toSorted()
        assert.deepStrictEqual(found(index, subjects), expected)
        for (const hit of model) {
          const [stream, name] = hit.split(": ")
          index.listenerOf(stream!).unsubscribed(name!)
        }
        assert.strictEqual(index.size, 0)
      })
    )
  })
})
