import { assert, describe, it } from "@effect/vitest"
import { clustersOf } from "./cluster-secrets.ts"
import { secretOf } from "./testing/remote-world.ts"

describe("clustersOf", () => {
  it("each key of each secret is a cluster", () => {
    const { clusters, faults } = clustersOf(
      [secretOf("some", { west: "one", south: "two" }), secretOf("more", { north: "three" })],
      "home"
    )
    assert.deepStrictEqual(
      [...clusters.values()].map(({ cluster, kubeconfig, secret }) => [cluster, secret, kubeconfig]),
      [
        ["north", "more", "three"],
        ["west", "some", "one"],
        ["south", "some", "two"]
      ]
    )
    assert.isEmpty(faults)
  })

  it("the first secret by name counts, in whatever order they come", () => {
    const secrets = [secretOf("b", { west: "second" }), secretOf("a", { west: "first" })]
    for (const order of [secrets, secrets.toReversed()]) {
      const { clusters, faults } = clustersOf(order, "home")
      assert.strictEqual(clusters.get("west")?.kubeconfig, "first")
      assert.deepStrictEqual(faults, ["Secret b: cluster west is in secret a already, which counts."])
    }
  })

  it("a secret for the configuration cluster does not count", () => {
    const { clusters, faults } = clustersOf([secretOf("a", { home: "one", west: "two" })], "home")
    assert.deepStrictEqual([...clusters.keys()], ["west"])
    assert.lengthOf(faults, 1)
  })

  it("a secret without data names nothing", () => {
    assert.strictEqual(clustersOf([{ metadata: { name: "a" } }], "home").clusters.size, 0)
  })
})
