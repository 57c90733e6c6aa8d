import { assert, describe, it } from "@effect/vitest"
import { differences } from "./differences.ts"
import { canonicalText, compact, withoutEmptyFields } from "./json.ts"
import { identityOf, type UnorderedList } from "./order-rules.ts"

const endpoints: ReadonlyArray<UnorderedList> = [
  { at: ["*", "endpoints"], identity: identityOf("locality") },
  { at: ["*", "endpoints", "*", "lbEndpoints"], identity: identityOf("address.ip") }
]

const locality = (name: string, ...ips: ReadonlyArray<string>) => ({
  locality: name,
  lbEndpoints: ips.map((ip) => ({ address: { ip } }))
})

describe("differences", () => {
  it("finds none in equal values, whatever the order of names", () => {
    assert.deepEqual(differences({ a: 1, b: [1, 2] }, { b: [1, 2], a: 1 }, []), [])
  })

  it("names the place, what was expected and what came", () => {
    assert.deepEqual(differences({ "a/b": [1, { c: 2 }] }, { "a/b": [1, { c: 3 }] }, []), [
      { path: '$["a/b"][1].c', expected: 2, actual: 3 }
    ])
  })

  it("tells absent fields on either side", () => {
    assert.deepEqual(differences({ a: 1 }, { b: 2 }, []), [
      { path: "$.a", expected: 1, actual: undefined },
      { path: "$.b", expected: undefined, actual: 2 }
    ])
  })

  it("holds the order of a list unless a rule lifts it", () => {
    assert.lengthOf(differences([1, 2], [2, 1], []), 2)
    assert.deepEqual(differences([1, 2], [2, 1], [{ at: [], identity: canonicalText }]), [])
  })

  it("lifts the order of lists inside lists", () => {
    assert.deepEqual(
      differences(
        { c: { endpoints: [locality("eu", "1", "2"), locality("us", "3")] } },
        { c: { endpoints: [locality("us", "3"), locality("eu", "2", "1")] } },
        endpoints
      ),
      []
    )
  })

  it("compares unordered items of one identity, not of one index", () => {
    assert.deepEqual(
      differences(
        { c: { endpoints: [locality("eu", "1", "2"), locality("us", "3")] } },
        { c: { endpoints: [locality("us", "3"), locality("eu", "2")] } },
        endpoints
      ),
      [{ path: "$.c.endpoints[eu].lbEndpoints[1]", expected: { address: { ip: "1" } }, actual: undefined }]
    )
  })

  it("counts repeated items", () => {
    assert.lengthOf(differences(["a", "a"], ["a"], [{ at: [], identity: canonicalText }]), 1)
  })
})

describe("compact", () => {
  it("leaves out what says nothing", () => {
    assert.deepEqual(compact({ a: "", b: [], c: {}, d: 0, e: false, f: undefined, g: "x", h: { i: "" } }), {
      g: "x",
      h: { i: "" }
    })
  })
})

describe("withoutEmptyFields", () => {
  it("leaves out empty fields at any depth", () => {
    assert.deepEqual(withoutEmptyFields({ a: { b: [] }, c: [{ d: "" }] }), { c: [{}] })
  })
})
