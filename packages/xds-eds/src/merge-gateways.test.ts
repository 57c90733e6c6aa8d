import { assert, describe, it } from "@effect/vitest"
import { noLocality } from "@istiod-lite/model"
import { endpoint } from "@istiod-lite/model/testing"
import { type AssignedEndpoint, type AssignedLocality, assignEndpoint } from "./assigned-endpoint.ts"
import { mergeGateways } from "./merge-gateways.ts"
import { endpointView, gateway } from "./testing/inputs.ts"

const through = (address: string, weight: number): AssignedEndpoint => ({
  ...assignEndpoint(endpoint(), endpointView()),
  address: { kind: "socket", address, port: 15443 },
  weight,
  source: gateway("far", address)
})

const locality = (
  priority: number,
  weight: number | undefined,
  ...endpoints: ReadonlyArray<AssignedEndpoint>
): AssignedLocality => ({ locality: noLocality, priority, weight, endpoints })

const summary = (localities: ReadonlyArray<AssignedLocality>) =>
  localities.map(({ endpoints, weight }) => [
    weight,
    ...endpoints.map(
      ({ address, weight: own }) => `${address.kind === "socket" ? address.address : ""}=${own}`
    )
  ])

describe("mergeGateways", () => {
  it("leaves localities without repeated gateways as they are", () => {
    const localities = [locality(0, 1, through("192.0.2.1", 1)), locality(0, 1, through("192.0.2.2", 1))]
    assert.strictEqual(mergeGateways(localities, false), localities)
  })

  it("adds weights up in the first locality of the best priority; an emptied one stays without weight", () => {
    const localities = [
      locality(1, 7, through("192.0.2.1", 2), through("192.0.2.9", 5)),
      locality(0, 3, through("192.0.2.1", 3)),
      locality(0, 4, through("192.0.2.1", 4))
    ]
    assert.deepStrictEqual(summary(mergeGateways(localities, false)), [
      [5, "192.0.2.9=5"],
      [9, "192.0.2.1=9"],
      [undefined]
    ])
  })

  it("does not touch weights that are shares", () => {
    const localities = [locality(0, 80, through("192.0.2.1", 2)), locality(0, 20, through("192.0.2.1", 3))]
    assert.deepStrictEqual(summary(mergeGateways(localities, true)), [[80, "192.0.2.1=5"], [20]])
  })

  it("gives the weight to a near endpoint that has the gateway's address", () => {
    const near = assignEndpoint(endpoint({ addresses: ["192.0.2.1"], port: 15443 }), endpointView())
    const localities = [locality(0, 4, through("192.0.2.1", 4)), locality(1, 1, near)]
    assert.deepStrictEqual(summary(mergeGateways(localities, false)), [[undefined], [5, "192.0.2.1=5"]])
  })

  it("keeps sums within 32 bits", () => {
    const heavy = locality(0, 1, through("192.0.2.1", 2 ** 32 - 1))
    const [first] = summary(mergeGateways([heavy, locality(0, 1, through("192.0.2.1", 1))], false))
    assert.deepStrictEqual(first, [2 ** 32 - 1, `192.0.2.1=${2 ** 32 - 1}`])
  })
})
