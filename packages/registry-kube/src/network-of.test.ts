import { assert, describe, it } from "@effect/vitest"
import { Label, type MeshNetworks, noLabels } from "@istiod-lite/model"
import { namespace } from "@istiod-lite/model/testing"
import { networkAssignment, networkOf } from "./network-of.ts"

const networks: MeshNetworks = {
  zeta: { endpoints: [{ fromRegistry: "c1" }, { fromCidr: "10.0.0.0/8" }], gateways: [] },
  east: { endpoints: [{ fromRegistry: "c1" }], gateways: [] },
  west: { endpoints: [{ fromCidr: "10.20.0.0/16" }, { fromCidr: "not a prefix" }], gateways: [] },
  one: { endpoints: [{ fromCidr: "172.16.0.0/12" }], gateways: [] },
  two: { endpoints: [{ fromCidr: "172.16.0.0/12" }], gateways: [] }
}
const system = namespace("istio-system", { labels: { [Label.network]: "system" } })
const own = { [Label.network]: "own" }

describe("networkOf (S-17)", () => {
  it.each([
    ["the workload's label first", "c1", system, own, "10.20.0.1", "own"],
    ["the system namespace's label before the settings", "c1", system, noLabels, "10.20.0.1", "system"],
    [
      "the registry before a prefix, the first network by name (D-14)",
      "c1",
      undefined,
      noLabels,
      "10.20.0.1",
      "east"
    ],
    ["the widest prefix of several", "c2", undefined, noLabels, "10.20.0.1", "zeta"],
    ["of equal prefixes the first network by name (D-14)", "c2", undefined, noLabels, "172.16.0.1", "one"],
    ["another network's prefix", "c2", undefined, noLabels, "10.30.0.1", "zeta"],
    ["no network", "c2", undefined, noLabels, "192.0.2.1", ""],
    ["no network for no address", "c2", undefined, noLabels, "", ""],
    ["an empty label as none", "c2", undefined, { [Label.network]: "" }, "192.0.2.1", ""]
  ])("takes %s", (_, cluster, systemNamespace, labels, address, expected) => {
    assert.strictEqual(
      networkOf(networkAssignment(networks, cluster, systemNamespace), labels, address),
      expected
    )
  })
})
