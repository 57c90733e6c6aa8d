import { assert, describe, it } from "@effect/vitest"
import type { Endpoint } from "@istiod-lite/model"
import { endpoint } from "@istiod-lite/model/testing"
import * as fc from "fast-check"
import { KeptEndpoints } from "./kept-endpoints.ts"

const endpoints = (...addresses: ReadonlyArray<number>): ReadonlyArray<Endpoint> =>
  addresses.map((i) => endpoint({ addresses: [`10.0.0.${i}`] }))

const keepAll = (before: ReadonlyArray<Endpoint>, now: ReadonlyArray<Endpoint>): ReadonlyArray<Endpoint> => {
  const kept = new KeptEndpoints(before)
  return now.map((one) => kept.keep(one))
}

describe("KeptEndpoints", () => {
  it("gives what it was asked for, whatever was there before", () => {
    const list = fc.array(fc.integer({ min: 1, max: 12 }), { maxLength: 20 })
    fc.assert(
      fc.property(list, list, (before, now) => {
        assert.deepStrictEqual(keepAll(endpoints(...before), endpoints(...now)), endpoints(...now))
      })
    )
  })

  it("keeps the values of those that stay while others change, go and come", () => {
    const before = endpoints(1, 2, 3, 4, 5, 6)
    const stays = (now: ReadonlyArray<Endpoint>) => keepAll(before, now).map((one) => before.indexOf(one) + 1)
    assert.deepStrictEqual(stays(endpoints(1, 2, 3, 4, 5, 6)), [1, 2, 3, 4, 5, 6])
    assert.deepStrictEqual(stays(endpoints(1, 9, 3, 4, 5, 6)), [1, 0, 3, 4, 5, 6])
    assert.deepStrictEqual(stays(endpoints(3, 4, 5, 6, 7)), [3, 4, 5, 6, 0])
    assert.deepStrictEqual(stays(endpoints(9, 8, 1, 2, 3, 7, 6)), [0, 0, 1, 2, 3, 0, 6])
    const unready = endpoints(1, 2, 3).map((one, i) =>
      i === 1 ? { ...one, health: "UNHEALTHY" as const } : one
    )
    assert.deepStrictEqual(stays(unready), [1, 0, 3])
  })
})
