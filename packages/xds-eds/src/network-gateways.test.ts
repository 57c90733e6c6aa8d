import { assert, describe, it } from "@effect/vitest"
import { gatewaysTo, indexGateways, reachableBy } from "./network-gateways.ts"
import { gateway } from "./testing/inputs.ts"

describe("indexGateways", () => {
  it("scales by the least common multiple of gateways per network and per cluster", () => {
    assert.strictEqual(indexGateways([]).scale, 1)
    const two = [gateway("a", "192.0.2.1"), gateway("a", "192.0.2.2")]
    assert.strictEqual(indexGateways(two).scale, 2)
    // network a: 3, of them 2 in k1 and 1 in k2; network b: 4
    const b = ["11", "12", "13", "14"].map((last) => gateway("b", `192.0.2.${last}`))
    const a = [
      gateway("a", "192.0.2.1", "k1"),
      gateway("a", "192.0.2.2", "k1"),
      gateway("a", "192.0.2.3", "k2")
    ]
    assert.strictEqual(indexGateways([...a, ...b]).scale, 12)
  })

  it("leaves out gateways that have no IP", () => {
    assert.deepStrictEqual(indexGateways([gateway("a", "gw.example.com")]).all, [])
  })

  it("sorts by address and port", () => {
    const list = [
      gateway("b", "192.0.2.2"),
      { ...gateway("a", "192.0.2.1"), port: 20000 },
      gateway("a", "192.0.2.1")
    ]
    assert.deepStrictEqual(
      indexGateways(list).all.map(({ address, port }) => `${address}:${port}`),
      ["192.0.2.1:15443", "192.0.2.1:20000", "192.0.2.2:15443"]
    )
  })
})

describe("gatewaysTo", () => {
  const ofCluster = gateway("a", "192.0.2.1", "k1")
  const ofSettings = gateway("a", "192.0.2.2")
  const index = indexGateways([ofCluster, ofSettings])

  it("prefers those of the endpoint's cluster, else takes all of the network", () => {
    assert.deepStrictEqual(gatewaysTo(index, "a", "k1"), [ofCluster])
    assert.deepStrictEqual(gatewaysTo(index, "a", "k2"), [ofCluster, ofSettings])
    assert.deepStrictEqual(gatewaysTo(index, "b", "k1"), [])
  })
})

describe("reachableBy", () => {
  const v4 = gateway("a", "192.0.2.1")
  const v6 = gateway("a", "2001:db8::1")
  const mapped = gateway("a", "::ffff:192.0.2.9")

  it("leaves the families that the client speaks", () => {
    assert.deepStrictEqual(reachableBy("IPv4", [v4, v6, mapped]), [v4, mapped])
    assert.deepStrictEqual(reachableBy("IPv6", [v4, v6, mapped]), [v6])
    assert.deepStrictEqual(reachableBy("Dual", [v4, v6]), [v4, v6])
  })
})
