import { assert, describe, it } from "@effect/vitest"
import { formatClusterName, outboundCluster, parseClusterName } from "./cluster-name.ts"

describe("cluster names", () => {
  it.each([
    [
      "outbound|80||reviews.shop.svc.cluster.local",
      "outbound",
      80,
      "",
      "reviews.shop.svc.cluster.local",
      false
    ],
    ["outbound|80|v1|*.example.com", "outbound", 80, "v1", "*.example.com", false],
    [
      "outbound_.80_.v1_.reviews.shop.svc.cluster.local",
      "outbound",
      80,
      "v1",
      "reviews.shop.svc.cluster.local",
      true
    ],
    ["inbound|8080||", "inbound", 8080, "", "", false],
    ["inbound-vip|80|http/v1|reviews.shop", "inbound-vip", 80, "http/v1", "reviews.shop", false]
  ] as const)("parseClusterName %s and back", (text, direction, port, subset, hostname, sniDnat) => {
    const name = { direction, hostname, port, sniDnat, subset }
    assert.deepEqual(parseClusterName(text), name)
    assert.strictEqual(formatClusterName(name), text)
  })

  it.each([
    "",
    "outbound",
    "outbound|80|reviews",
    "outbound|x||reviews",
    "outbound|80||a|b",
    "sideways|80||a",
    "prometheus_stats"
  ])("parseClusterName refuses %j", (text) => assert.isUndefined(parseClusterName(text)))

  it("outboundCluster names the whole service unless told", () => {
    assert.strictEqual(outboundCluster("a.b", 80), "outbound|80||a.b")
    assert.strictEqual(outboundCluster("a.b", 80, "v1", true), "outbound_.80_.v1_.a.b")
  })
})
