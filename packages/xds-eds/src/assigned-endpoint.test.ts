import { assert, describe, it } from "@effect/vitest"
import type { Endpoint } from "@istiod-lite/model"
import { endpoint } from "@istiod-lite/model/testing"
import { assignEndpoint } from "./assigned-endpoint.ts"
import type { EndpointView } from "./endpoint-view.ts"
import { endpointView } from "./testing/inputs.ts"

const assigned = (fields: Partial<Endpoint>, view: Partial<EndpointView> = {}) =>
  assignEndpoint(endpoint(fields), endpointView(view))

describe("assignEndpoint", () => {
  it("connects to the first address; the others are sent with dual stack only", () => {
    const addresses = ["10.0.0.1", "fd00::1"]
    assert.deepStrictEqual(assigned({ addresses }).address, {
      kind: "socket",
      address: "10.0.0.1",
      port: 8080
    })
    assert.deepStrictEqual(assigned({ addresses }).additionalAddresses, [])
    assert.deepStrictEqual(assigned({ addresses }, { dualStack: true }).additionalAddresses, ["fd00::1"])
  })

  it("takes port 0 for a unix socket", () => {
    const { address } = assigned({ addresses: ["unix:///var/run/db.sock"], port: 0 })
    assert.deepStrictEqual(address, { kind: "pipe", path: "/var/run/db.sock" })
  })

  it("tunnels to who speaks HBONE and no mutual TLS", () => {
    const labels = { "networking.istio.io/tunnel": "http" }
    assert.deepStrictEqual(assigned({ labels }).address, { kind: "tunnel", target: "10.20.0.1:8080" })
    const v6 = assigned({ labels, addresses: ["fd00::1", "10.0.0.1"] }, { dualStack: true })
    assert.deepStrictEqual(v6.address, { kind: "tunnel", target: "[fd00::1]:8080" })
    assert.deepStrictEqual(v6.additionalAddresses, [])
    assert.strictEqual(assigned({ labels, tlsMode: "istio" }).address.kind, "socket")
    assert.strictEqual(assigned({ labels }, { tunnels: false }).address.kind, "socket")
    assert.strictEqual(
      assigned({ labels: { "networking.istio.io/tunnel": "quic,http" } }).address.kind,
      "tunnel"
    )
    assert.strictEqual(assigned({ labels: { "networking.istio.io/tunnel": "quic" } }).address.kind, "socket")
    const waypoint = { "gateway.istio.io/managed": "istio.io-mesh-controller" }
    assert.strictEqual(assigned({ labels: waypoint }).address.kind, "tunnel")
  })

  it("speaks mutual TLS with who can, as the rule and PeerAuthentication say", () => {
    const disabled: Partial<EndpointView> = { peerMode: () => "DISABLE" }
    assert.strictEqual(assigned({ tlsMode: "istio" }).tlsMode, "istio")
    assert.strictEqual(assigned({ tlsMode: "disabled" }).tlsMode, "")
    assert.strictEqual(assigned({ tlsMode: "istio" }, disabled).tlsMode, "")
    assert.strictEqual(assigned({ tlsMode: "istio" }, { ...disabled, tls: "mutual" }).tlsMode, "istio")
    assert.strictEqual(assigned({ tlsMode: "disabled" }, { tls: "mutual" }).tlsMode, "")
    assert.strictEqual(assigned({ tlsMode: "istio" }, { tls: "none" }).tlsMode, "")
  })

  it("tells a mode that users named themselves only where the rule demands mutual TLS", () => {
    assert.strictEqual(assigned({ tlsMode: "legacy" }, { tls: "mutual" }).tlsMode, "legacy")
    assert.strictEqual(assigned({ tlsMode: "legacy" }).tlsMode, "")
  })

  it("asks PeerAuthentication for the endpoint's own port", () => {
    const { tlsMode } = assigned(
      { tlsMode: "istio", port: 9090 },
      { peerMode: ({ namespace }, port) => (namespace === "shop" && port === 9090 ? "DISABLE" : "STRICT") }
    )
    assert.strictEqual(tlsMode, "")
  })

  it("names the workload for telemetry", () => {
    assert.deepStrictEqual(assigned({}).workload, ["reviews", "shop", "reviews", "", "Kubernetes"])
    const labels = { app: "r", "app.kubernetes.io/name": "named", version: "v1" }
    assert.deepStrictEqual(assigned({ labels }).workload, ["reviews", "shop", "named", "v1", "Kubernetes"])
    const canonical = {
      ...labels,
      "service.istio.io/canonical-name": "canonical",
      "service.istio.io/canonical-revision": "latest"
    }
    assert.deepStrictEqual(assigned({ labels: canonical }).workload, [
      "reviews",
      "shop",
      "canonical",
      "",
      "Kubernetes"
    ])
  })

  it("weighs 1 unless told, and drains by label", () => {
    assert.strictEqual(assigned({ weight: 0 }).weight, 1)
    assert.strictEqual(assigned({ weight: 7 }).weight, 7)
    assert.strictEqual(assigned({ labels: { "istio.io/draining": "yes" } }).health, "DRAINING")
  })
})
