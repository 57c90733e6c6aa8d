import { assert, describe, it } from "@effect/vitest"
import type { EndpointGroup, SliceOrder } from "@istiod-lite/model"
import { endpoint, endpointGroup } from "@istiod-lite/model/testing"
import * as fc from "fast-check"
import { compareSlices, joinEndpoints } from "./join-endpoints.ts"

const order = (name: string, resourceVersion = "1", creationTime = "2026-01-01T00:00:00Z"): SliceOrder => ({
  name,
  resourceVersion,
  creationTime
})
const slice = (place: SliceOrder, addresses: ReadonlyArray<string>, fields: Partial<EndpointGroup> = {}) =>
  endpointGroup({
    slice: place,
    endpoints: addresses.map((one) => endpoint({ addresses: [one] })),
    ...fields
  })
const addressesOf = (groups: ReadonlyArray<EndpointGroup>) =>
  groups.map(({ endpoints }) => endpoints.map(({ addresses }) => addresses[0] ?? "").join(" "))

describe("compareSlices (S-15)", () => {
  it.each([
    ["the higher version", order("a", "10"), order("b", "9")],
    ["then the later creation", order("b", "1", "2026-02-01T00:00:00Z"), order("a")],
    ["then the name that sorts first", order("a"), order("b")]
  ])("believes %s", (_, believed, other) => {
    assert.isAbove(compareSlices(believed, other), 0)
    assert.isBelow(compareSlices(other, believed), 0)
  })
})

describe("joinEndpoints (S-15)", () => {
  it("counts an address in two slices once, where the newer slice has it", () => {
    const groups = [
      slice(order("a", "1"), ["10.0.0.1", "10.0.0.2"]),
      slice(order("b", "2"), ["10.0.0.2", "10.0.0.3"])
    ]
    assert.deepEqual(addressesOf(joinEndpoints(groups)), ["10.0.0.1", "10.0.0.2 10.0.0.3"])
    assert.deepEqual(addressesOf(joinEndpoints(groups.toReversed())), ["10.0.0.2 10.0.0.3", "10.0.0.1"])
  })

  it.each([
    ["in two shards", slice(order("b", "2"), ["10.0.0.1"], { shard: "Kubernetes/c2" })],
    [
      "of two ports",
      slice(order("b", "2"), [], {
        endpoints: [endpoint({ addresses: ["10.0.0.1"], servicePortName: "grpc" })]
      })
    ],
    [
      "told by something that is no slice",
      endpointGroup({ endpoints: [endpoint({ addresses: ["10.0.0.1"] })] })
    ]
  ])("keeps an address %s", (_, other) => {
    const groups = [slice(order("a"), ["10.0.0.1"]), slice(order("c"), ["10.0.0.9"]), other]
    assert.deepEqual(addressesOf(joinEndpoints(groups)), ["10.0.0.1", "10.0.0.9", "10.0.0.1"])
  })

  it("keeps an address that one slice tells twice", () => {
    const groups = [slice(order("a"), ["10.0.0.1", "10.0.0.1"]), slice(order("b"), ["10.0.0.2"])]
    assert.deepEqual(addressesOf(joinEndpoints(groups)), ["10.0.0.1 10.0.0.1", "10.0.0.2"])
  })

  it("leaves groups that lose nothing the same, for what was derived from them", () => {
    const [loser, winner] = [slice(order("a", "1"), ["10.0.0.1"]), slice(order("b", "2"), ["10.0.0.1"])]
    const joined = joinEndpoints([loser, winner])
    assert.strictEqual(joined[1], winner)
    const apart = [winner, slice(order("c"), ["10.0.0.9"])]
    assert.strictEqual(joinEndpoints(apart), apart)
  })

  it("says the same whether it knows what it said before or not", () => {
    const addresses = fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 4 })
    const steps = fc.array(fc.record({ at: fc.nat(3), addresses }), { maxLength: 8 })
    fc.assert(
      fc.property(steps, (changes) => {
        let groups: ReadonlyArray<EndpointGroup> = []
        let previous: ReadonlyArray<EndpointGroup> | undefined
        for (const [version, { addresses, at }] of changes.entries()) {
          const changed = slice(
            order(`s${at}`, `${version}`),
            addresses.map((i) => `10.0.0.${i}`)
          )
          groups = groups.toSpliced(at, 1, changed)
          const joined = joinEndpoints(groups, previous)
          assert.deepStrictEqual(joined, joinEndpoints([...groups]))
          previous = joined
        }
      }),
      { numRuns: 300 }
    )
  })
})
