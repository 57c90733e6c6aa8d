import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import type { EndpointSlice } from "../objects/kube.ts"
import { decodeObject } from "./decode-object.ts"
import { decode, manifest } from "./decode-testing.ts"

/** Values as API servers send them, absent ones in both ways, and some that are wrong. */
const text = (...texts: ReadonlyArray<string>) => fc.constantFrom<unknown>(...texts, "", null, undefined, 7)
const flag = fc.constantFrom<unknown>(true, false, null, undefined, "true")
const said = fc.record({
  addresses: fc.oneof(
    {
      weight: 9,
      arbitrary: fc.array(fc.constantFrom("10.0.0.1", "10.0.0.2", "10.0.0.3"), { maxLength: 2 })
    },
    { weight: 1, arbitrary: fc.constantFrom<unknown>(["fd00::1"], [7], "10.0.0.1", null, undefined) }
  ),
  conditions: fc.option(fc.record({ ready: flag, serving: flag, terminating: flag }), { nil: undefined }),
  nodeName: text("n1"),
  targetRef: fc.option(
    fc.record({ kind: text("Pod"), namespace: text("shop", "bank"), name: text("p"), uid: text("u") }),
    { nil: null }
  )
})
const endpoints = fc.array(fc.oneof({ weight: 19, arbitrary: said }, { weight: 1, arbitrary: text() }), {
  maxLength: 12
})

const sliceOf = (list: ReadonlyArray<unknown>, addressType = "IPv4") =>
  manifest("EndpointSlice", { addressType, endpoints: list })

const checked = (object: unknown, slice?: EndpointSlice) => decodeObject(object, { isChecked: true, slice })

/** Without what is wrong with it. */
const before = (object: unknown): EndpointSlice | undefined => {
  const decoded = checked(object)
  return decoded.outcome === "object" && decoded.kind === "EndpointSlice" ? decoded.object : undefined
}

describe("decodeEndpointSlice, with the slice as it was before", () => {
  it("says what it says without, faults included", () => {
    fc.assert(
      fc.property(
        endpoints.map((list) => list.filter((one) => before(sliceOf([one])) !== undefined)),
        endpoints,
        fc.nat(12),
        fc.constantFrom("IPv4", "IPv4", "IPv6"),
        (first, others, at, family) => {
          const slice = before(sliceOf(first))
          assert.isDefined(slice)
          const now = sliceOf(first.toSpliced(at, 2, ...others.slice(0, 3)), family)
          assert.deepStrictEqual(checked(now, slice), checked(now))
          const mixed = sliceOf([...others, ...first.toReversed()], family)
          assert.deepStrictEqual(checked(mixed, slice), checked(mixed))
        }
      ),
      { numRuns: 500 }
    )
  })

  it("keeps the values of endpoints of which the same is said", () => {
    const list = ["10.0.0.1", "10.0.0.2", "10.0.0.3"].map((address) => ({
      addresses: [address],
      conditions: { ready: true },
      targetRef: { kind: "Pod", name: address, namespace: "shop", uid: "u" }
    }))
    const slice = decode("EndpointSlice", { addressType: "IPv4", endpoints: list })
    const changed = list.with(1, { ...list[1]!, conditions: { ready: false } })
    const now = before(sliceOf([...changed, { addresses: ["10.0.0.4"] }]))
    const kept = checked(sliceOf([...changed, { addresses: ["10.0.0.4"] }]), slice)
    assert.isTrue(kept.outcome === "object" && kept.kind === "EndpointSlice")
    if (kept.outcome !== "object" || kept.kind !== "EndpointSlice") return
    assert.deepStrictEqual(kept.object, now)
    assert.deepStrictEqual(
      kept.object.endpoints.map((one) => slice.endpoints.indexOf(one)),
      [0, -1, 2, -1]
    )
  })
})
