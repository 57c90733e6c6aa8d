import { assert, describe, it } from "@effect/vitest"
import { endpoint, endpointGroup } from "@istiod-lite/model/testing"
import { equalServiceEndpoints, joinServiceEndpoints } from "./service-endpoints.ts"

const key = "shop/reviews.shop.svc.cluster.local"
const at = (...accounts: ReadonlyArray<string>) =>
  endpointGroup({ endpoints: accounts.map((serviceAccount) => endpoint({ serviceAccount })) })
const join = (...args: Parameters<typeof joinServiceEndpoints>) =>
  joinServiceEndpoints(...args).serviceAccounts

describe("joinServiceEndpoints accounts (S-45)", () => {
  const before = joinServiceEndpoints(key, [at("a")], undefined)
  it.each([
    ["those of all endpoints, sorted, each once", [at("b", "a"), at("b", "")], undefined, ["a", "b"]],
    ["only those of now, while there are endpoints", [at("b")], before, ["b"]],
    ["those of before, while there are none", [at()], before, ["a"]],
    ["those of before, while there is no shard", [], before, ["a"]],
    ["none, if there never were any", [], undefined, []]
  ])("are %s", (_, groups, previous, expected) => assert.deepEqual(join(key, groups, previous), expected))

  it("are none while the endpoints of now have none", () => assert.deepEqual(join(key, [at("")], before), []))
})

describe("equalServiceEndpoints (D-15)", () => {
  const order = { name: "a", resourceVersion: "1", creationTime: "" }
  const slice = (resourceVersion: string, health: "HEALTHY" | "UNHEALTHY" = "HEALTHY") =>
    joinServiceEndpoints(
      key,
      [endpointGroup({ slice: { ...order, resourceVersion }, endpoints: [endpoint({ health })] })],
      undefined
    )

  it("passes over a slice's version, which clients never see", () => {
    assert.isTrue(equalServiceEndpoints(slice("1"), slice("2")))
  })

  it.each([
    ["a health", slice("1", "UNHEALTHY")],
    ["the accounts", { ...slice("1"), serviceAccounts: ["b"] }],
    ["the number of groups", { ...slice("1"), groups: [] }]
  ])("tells %s apart", (_, other) => assert.isFalse(equalServiceEndpoints(slice("1"), other)))
})
