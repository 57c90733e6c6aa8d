import { assert, describe, it } from "@effect/vitest"
import type { MeshNetworks, NetworkGateway } from "@istiod-lite/model"
import { allGateways, resolveGateways } from "./mesh-gateways.ts"

const gateway = (address: string, fields: Partial<NetworkGateway> = {}): NetworkGateway => ({
  network: "n1",
  cluster: "c1",
  address,
  port: 15443,
  ...fields
})

/** A gateway with a name and one with an address, resolved. */
const resolve = (answers: Readonly<Record<string, ReadonlyArray<string>>>) =>
  resolveGateways(
    [gateway("lb.example"), gateway("203.0.113.5")],
    (text) => !text.endsWith(".example"),
    (hostname) => answers[hostname] ?? []
  ).map(({ address }) => address)

describe("allGateways (S-44)", () => {
  const networks: MeshNetworks = {
    n2: {
      endpoints: [],
      gateways: [
        { address: "203.0.113.9", port: 443 },
        { registryServiceName: "gate.istio-system.svc.cluster.local", port: 443 }
      ]
    }
  }

  it("has those of services and those that the settings name by address, sorted, each once", () => {
    const ofServices = [gateway("203.0.113.2"), gateway("203.0.113.1"), gateway("203.0.113.2")]
    assert.deepEqual(allGateways(networks, ofServices), [
      gateway("203.0.113.1"),
      gateway("203.0.113.2"),
      gateway("203.0.113.9", { network: "n2", cluster: "", port: 443 })
    ])
  })

  it("keeps one address in two clusters apart", () => {
    assert.lengthOf(allGateways({}, [gateway("203.0.113.1"), gateway("203.0.113.1", { cluster: "c2" })]), 2)
  })
})

describe("resolveGateways (S-44)", () => {
  it.each([
    [
      "all addresses of a hostname in its place",
      { "lb.example": ["203.0.113.9", "203.0.113.1"] },
      ["203.0.113.1", "203.0.113.5", "203.0.113.9"]
    ],
    ["nothing for a hostname without address", {}, ["203.0.113.5"]]
  ])("puts %s", (_, answers, expected) => assert.deepEqual(resolve(answers), expected))
})
