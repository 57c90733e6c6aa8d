import { assert, describe, it } from "@effect/vitest"
import type { Endpoint } from "@istiod-lite/model"
import { endpoint } from "@istiod-lite/model/testing"
import { assignEndpoint } from "./assigned-endpoint.ts"
import { indexGateways } from "./network-gateways.ts"
import { splitHorizon, type Standpoint } from "./split-horizon.ts"
import { endpointView, gateway } from "./testing/inputs.ts"

const gateways = indexGateways([gateway("far", "192.0.2.1"), gateway("far", "192.0.2.2")])

const seen = (list: ReadonlyArray<Partial<Endpoint>>, from: Partial<Standpoint> = {}, through = gateways) => {
  const assigned = list.map((fields) =>
    assignEndpoint(endpoint({ tlsMode: "istio", ...fields }), endpointView())
  )
  const horizon = splitHorizon(assigned, through, { network: "near", ipMode: "IPv4", ...from })
  return {
    endpoints: horizon.endpoints.map(({ address, weight }) => [
      address.kind === "socket" ? address.address : address.kind,
      weight
    ]),
    behind: horizon.behind.map((hidden) => hidden.endpoint.addresses[0]),
    excluded: horizon.excluded.map(({ reason }) => reason._tag),
    horizon
  }
}

describe("splitHorizon", () => {
  it("scales near endpoints and shares far ones among their gateways", () => {
    const far = { network: "far", addresses: ["10.0.0.2"] }
    const { behind, endpoints } = seen([{ network: "near" }, far, { ...far, weight: 2 }])
    assert.deepStrictEqual(endpoints, [
      ["10.20.0.1", 2],
      ["192.0.2.1", 3],
      ["192.0.2.2", 3]
    ])
    assert.deepStrictEqual(behind, ["10.0.0.2", "10.0.0.2"])
  })

  it("prefers gateways of the endpoint's cluster", () => {
    const through = indexGateways([gateway("far", "192.0.2.1", "k1"), gateway("far", "192.0.2.2", "k2")])
    assert.deepStrictEqual(seen([{ network: "far", cluster: "k2" }], {}, through).endpoints, [
      ["192.0.2.2", 2]
    ])
  })

  it("lets nothing but mutual TLS cross", () => {
    const { endpoints, excluded } = seen([{ network: "far", tlsMode: "disabled" }])
    assert.deepStrictEqual(endpoints, [])
    assert.deepStrictEqual(excluded, ["NotMutualTls"])
  })

  it("sends endpoints of a network without gateways as they are, if they have an address", () => {
    const { endpoints, excluded } = seen([{ network: "island" }, { network: "island", addresses: [""] }])
    assert.deepStrictEqual(endpoints, [["10.20.0.1", 2]])
    assert.deepStrictEqual(excluded, ["NoAddress"])
  })

  it("sends endpoints without network directly, and needs no address behind a gateway", () => {
    assert.deepStrictEqual(seen([{ network: "" }]).endpoints, [["10.20.0.1", 2]])
    assert.deepStrictEqual(seen([{ network: "far", addresses: [] }]).behind, [undefined])
    assert.deepStrictEqual(seen([{ network: "near", addresses: [] }]).excluded, ["NoAddress"])
  })

  it("shows a client without network everything through gateways where there are some", () => {
    assert.deepStrictEqual(seen([{ network: "far" }], { network: "" }).behind, ["10.20.0.1"])
    assert.deepStrictEqual(seen([{ network: "near" }], { network: "" }).endpoints, [["10.20.0.1", 2]])
  })

  it("uses gateways of the client's family only, and none of them means nothing is sent", () => {
    assert.deepStrictEqual(seen([{ network: "far" }], { ipMode: "IPv6" }).excluded, ["NoGatewayOfFamily"])
    const through = indexGateways([gateway("far", "192.0.2.1"), gateway("far", "2001:db8::1")])
    assert.deepStrictEqual(seen([{ network: "far" }], { ipMode: "IPv6" }, through).endpoints, [
      ["2001:db8::1", 2]
    ])
  })

  it("never weighs a gateway 0 nor more than 32 bits hold", () => {
    const heavy = seen([{ network: "near", weight: 2 ** 32 - 1 }]).endpoints
    assert.deepStrictEqual(heavy, [["10.20.0.1", 2 ** 32 - 1]])
    const max = { network: "far", weight: 2 ** 32 - 1 }
    const [first] = seen([max, max, max, max]).endpoints
    assert.deepStrictEqual(first, ["192.0.2.1", 2 ** 32 - 1])
  })

  it("describes a gateway by its network and cluster alone", () => {
    const through = indexGateways([gateway("far", "192.0.2.1", "k2")])
    const [gatewayEndpoint] = seen([{ network: "far" }], {}, through).horizon.endpoints
    assert.strictEqual(gatewayEndpoint?.tlsMode, "istio")
    assert.strictEqual(gatewayEndpoint?.health, "UNKNOWN")
    assert.deepStrictEqual(gatewayEndpoint?.workload, ["", "", "", "", "k2"])
    assert.deepStrictEqual(gatewayEndpoint?.labels, {
      "topology.istio.io/cluster": "k2",
      "topology.istio.io/network": "far"
    })
  })
})
