import { assert, describe, it } from "@effect/vitest"
import type { Labels } from "@istiod-lite/model"
import { labelDistance, preferredLabels } from "./failover-priority.ts"

const network = "topology.istio.io/network"

const distance = (priorities: ReadonlyArray<string>, client: Labels, endpoint: Labels): number =>
  labelDistance(endpoint, preferredLabels(priorities, client))

describe("labelDistance", () => {
  const priorities = ["region", "zone", "version"]
  const client = { region: "eu", zone: "eu-1", version: "v1" }

  it("is 0 where all labels are the client's, and the more the earlier the first difference", () => {
    assert.strictEqual(distance(priorities, client, client), 0)
    assert.strictEqual(distance(priorities, client, { ...client, version: "v2" }), 1)
    assert.strictEqual(distance(priorities, client, { ...client, zone: "eu-2", version: "v2" }), 2)
    assert.strictEqual(distance(priorities, client, { zone: "eu-1", version: "v1" }), 3)
  })

  it("takes a label that both sides lack for a match", () => {
    assert.strictEqual(distance(priorities, {}, {}), 0)
    assert.strictEqual(distance(priorities, {}, { region: "eu" }), 3)
  })

  it("compares with a value of its own where one is given", () => {
    assert.strictEqual(distance(["version=v2"], client, { version: "v2" }), 0)
    assert.strictEqual(distance(["version=v2"], client, { version: "v1" }), 1)
    assert.strictEqual(distance(["version=a=b"], client, { version: "v1" }), 0)
  })

  it("goes on behind a first network label, all of another network behind all of the own", () => {
    const list = [network, "region", "zone"]
    const near = { [network]: "n1", region: "eu", zone: "eu-1" }
    assert.strictEqual(distance(list, near, { ...near, region: "us" }), 2)
    assert.strictEqual(distance(list, near, { ...near, [network]: "n2" }), 3)
    assert.strictEqual(distance(list, near, { ...near, [network]: "n2", zone: "eu-2" }), 4)
    assert.strictEqual(distance(list, near, { [network]: "n2" }), 5)
  })

  it("does not do so where the network is given with a value or not at the first place", () => {
    assert.strictEqual(distance([`${network}=n1`, "region"], {}, { [network]: "n2" }), 2)
    assert.strictEqual(distance(["region", network], {}, { [network]: "n2" }), 1)
  })
})
