import { assert, describe, it } from "@effect/vitest"
import { ipModeOf, parseProxy } from "./proxy.ts"

const sidecar = {
  id: "sidecar~10.1.2.3~reviews-v1-7c9d-x2x.shop~shop.svc.cluster.local",
  metadata: {
    CLUSTER_ID: "Kubernetes",
    DNS_AUTO_ALLOCATE: "true",
    DNS_CAPTURE: "true",
    INSTANCE_IPS: "10.1.2.3,fd00::3",
    ISTIO_VERSION: "1.30.0",
    LABELS: { app: "reviews", version: "v1" },
    NAME: "reviews-v1-7c9d-x2x",
    NAMESPACE: "shop",
    NETWORK: "net-1",
    NODE_NAME: "node-1",
    SERVICE_ACCOUNT: "reviews",
    STATIC_LABELS: { team: "a", version: "static" },
    WORKLOAD_NAME: "reviews-v1"
  },
  locality: { region: "eu", zone: "eu-1", subZone: "rack-7" }
}

const ips = (INSTANCE_IPS?: string) => parseProxy({ id: sidecar.id, metadata: { INSTANCE_IPS } }).ips
const namespace = (id: string, metadata = {}) => parseProxy({ id, metadata }).namespace

describe("parseProxy of Istio's programs", () => {
  it("reads a sidecar", () => {
    const proxy = parseProxy(sidecar)
    assert.deepInclude(proxy, {
      type: "sidecar",
      name: "reviews-v1-7c9d-x2x",
      namespace: "shop",
      ips: ["10.1.2.3", "fd00::3"],
      labels: { app: "reviews", team: "a", version: "v1" },
      cluster: "Kubernetes",
      network: "net-1",
      locality: { region: "eu", zone: "eu-1", subzone: "rack-7" },
      node: "node-1",
      serviceAccount: "reviews",
      dnsCapture: true,
      dnsAutoAllocate: true,
      workloadName: "reviews-v1",
      istioVersion: "1.30.0",
      networkView: undefined
    })
  })

  it("reads a gateway", () => {
    const id = "router~10.1.2.4~ingress-5f.istio-system~istio-system.svc.cluster.local"
    const proxy = parseProxy({
      id,
      metadata: { REQUESTED_NETWORK_VIEW: "net-1,net-2", LABELS: { istio: "ingress" } }
    })
    assert.strictEqual(proxy.type, "router")
    assert.strictEqual(proxy.namespace, "istio-system")
    assert.deepEqual(proxy.networkView, new Set(["net-1", "net-2"]))
  })

  it("reads a machine's agent, whose name is a host name", () => {
    const proxy = parseProxy({
      id: "sidecar~192.0.2.7~vm-1.example.com.legacy~legacy.svc.cluster.local",
      metadata: {
        NAMESPACE: "legacy",
        INSTANCE_IPS: "192.0.2.7",
        LABELS: { app: "billing" },
        NETWORK: "vm-net"
      }
    })
    assert.deepInclude(proxy, {
      type: "sidecar",
      name: "vm-1.example.com",
      namespace: "legacy",
      network: "vm-net"
    })
  })

  it("reads a proxyless gRPC client", () => {
    const proxy = parseProxy({ ...sidecar, metadata: { ...sidecar.metadata, GENERATOR: "grpc" } })
    assert.strictEqual(proxy.type, "grpc")
    assert.strictEqual(proxy.name, "reviews-v1-7c9d-x2x")
  })

  it("takes the address of the id where the list is missing or faulty", () => {
    assert.deepEqual(ips(), ["10.1.2.3"])
    assert.deepEqual(ips("10.1.2.9,nonsense"), ["10.1.2.3"])
    assert.deepEqual(ips("10.1.2.9"), ["10.1.2.9"])
    assert.deepEqual(parseProxy({ id: "sidecar~~a.b~b.svc.x", metadata: {} }).ips, [])
  })

  it("takes the namespace of the metadata, then of the domain, then of the name", () => {
    assert.strictEqual(namespace("sidecar~10.0.0.1~a.one~two.svc.x", { NAMESPACE: "three" }), "three")
    assert.strictEqual(namespace("sidecar~10.0.0.1~a.one~two.svc.x"), "two")
    assert.strictEqual(namespace("sidecar~10.0.0.1~a.one~local"), "one")
  })

  it("passes over labels and switches of the wrong form", () => {
    const proxy = parseProxy({
      id: sidecar.id,
      metadata: { LABELS: { a: 1, b: "2" }, DNS_CAPTURE: "yes", STATIC_LABELS: "x" }
    })
    assert.deepEqual(proxy.labels, { b: "2" })
    assert.isFalse(proxy.dnsCapture)
    assert.isTrue(parseProxy({ id: "x", metadata: { DNS_CAPTURE: true } }).dnsCapture)
  })
})

describe("parseProxy of other clients", () => {
  it("accepts any id (S-84)", () => {
    for (const id of ["", "envoy-1", "a~b~c", "a~b~c~d~e", "service~10.0.0.1~a.b~c", "~~~"]) {
      const proxy = parseProxy({ id, metadata: {} })
      assert.strictEqual(proxy.id, id)
      assert.strictEqual(proxy.type, "plain")
    }
  })

  it("knows of a plain Envoy what its metadata says", () => {
    const metadata = {
      NAMESPACE: "shop",
      CLUSTER_ID: "Kubernetes",
      INSTANCE_IPS: "192.0.2.8",
      LABELS: { app: "edge" }
    }
    const proxy = parseProxy({ id: "edge.1", metadata, locality: { region: "eu" } })
    assert.deepInclude(proxy, {
      name: "edge.1",
      namespace: "shop",
      ips: ["192.0.2.8"],
      labels: { app: "edge" }
    })
    assert.deepEqual(proxy.locality, { region: "eu", zone: "", subzone: "" })
    assert.deepEqual(parseProxy({ id: "edge", metadata: {} }).locality, { region: "", zone: "", subzone: "" })
  })
})

describe("ipModeOf", () => {
  it("follows the families of the addresses", () => {
    assert.strictEqual(ipModeOf([]), "IPv4")
    assert.strictEqual(ipModeOf(["10.0.0.1"]), "IPv4")
    assert.strictEqual(ipModeOf(["fd00::1"]), "IPv6")
    assert.strictEqual(ipModeOf(["fd00::1", "10.0.0.1"]), "Dual")
  })
})
