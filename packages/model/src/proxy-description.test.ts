import { assert, describe, it } from "@effect/vitest"
import { parseProxy } from "./proxy.ts"
import { nodeOf } from "./proxy-description.ts"

describe("nodeOf", () => {
  it("is read as the sidecar of its pod", () => {
    const proxy = parseProxy(
      nodeOf(
        {
          name: "web",
          type: "sidecar",
          namespace: "shop",
          workload: "web-7c9d-x2x",
          ips: ["198.51.100.190", "fd00::1"],
          cluster: "east",
          network: "net-east",
          locality: "region1/zone-a",
          node: "node-a",
          serviceAccount: "web",
          labels: { app: "web" },
          metadata: { DNS_CAPTURE: "true" }
        },
        "Kubernetes"
      )
    )
    assert.strictEqual(proxy.type, "sidecar")
    assert.strictEqual(proxy.name, "web-7c9d-x2x")
    assert.strictEqual(proxy.namespace, "shop")
    assert.deepEqual(proxy.ips, ["198.51.100.190", "fd00::1"])
    assert.strictEqual(proxy.cluster, "east")
    assert.strictEqual(proxy.network, "net-east")
    assert.deepEqual(proxy.locality, { region: "region1", zone: "zone-a", subzone: "" })
    assert.strictEqual(proxy.node, "node-a")
    assert.strictEqual(proxy.serviceAccount, "web")
    assert.strictEqual(proxy.labels.app, "web")
    assert.isTrue(proxy.dnsCapture)
  })

  it("is of the configuration cluster unless it says otherwise", () => {
    const node = nodeOf({ name: "g", type: "gateway", namespace: "istio-system", ips: ["192.0.2.1"] }, "hq")
    assert.strictEqual(parseProxy(node).cluster, "hq")
    assert.strictEqual(parseProxy(node).type, "router")
  })

  it("marks gRPC clients by their generator", () => {
    const node = nodeOf({ name: "g", type: "grpc", namespace: "shop", ips: ["192.0.2.1"] }, "hq")
    assert.strictEqual(parseProxy(node).type, "grpc")
  })
})
