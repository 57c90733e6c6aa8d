import { assert, describe, it } from "@effect/vitest"
import { proxy } from "@istiod-lite/model/testing"
import { placeProxy } from "./proxy-view.ts"

const said = { region: "eu", zone: "eu-9", subzone: "" }

describe("placeProxy", () => {
  it("takes the registries' labels over static ones, and nothing else of the proxy's own", () => {
    const client = proxy({
      labels: { app: "own", x: "1" },
      metadata: { STATIC_LABELS: { app: "static", y: "2", z: 3 } }
    })
    const { labels } = placeProxy(client, { app: "known" })
    assert.deepEqual(labels, { app: "known", y: "2", "topology.istio.io/cluster": "Kubernetes" })
  })

  it("takes the proxy's own labels if the registries know none, or if it says it is a virtual machine", () => {
    assert.strictEqual(placeProxy(proxy({ labels: { app: "own" } }), undefined).labels["app"], "own")
    const vm = proxy({ labels: { app: "own", "istio.io/test-vm": "true" } })
    assert.strictEqual(placeProxy(vm, { app: "known" }).labels["app"], "own")
  })

  it("reads the locality of topology labels, then of the locality label, then what the stream says", () => {
    const client = proxy({ locality: said })
    const localityOf = (labels: Record<string, string> | undefined) => placeProxy(client, labels).locality
    assert.deepEqual(localityOf({ "topology.kubernetes.io/zone": "us-1" }), {
      region: "",
      zone: "us-1",
      subzone: ""
    })
    assert.deepEqual(localityOf({ "istio-locality": "us.us-1.a" }), {
      region: "us",
      zone: "us-1",
      subzone: "a"
    })
    assert.deepEqual(localityOf({}), said)
    assert.deepEqual(localityOf(undefined), said)
  })

  it("adds where the proxy runs to its labels; a network label of its own stays", () => {
    const client = proxy({ cluster: "east", locality: said, network: "net-1", node: "n1" })
    assert.deepEqual(placeProxy(client, { "topology.istio.io/network": "net-2" }).labels, {
      "kubernetes.io/hostname": "n1",
      "topology.istio.io/cluster": "east",
      "topology.istio.io/network": "net-2",
      "topology.kubernetes.io/region": "eu",
      "topology.kubernetes.io/zone": "eu-9"
    })
  })

  it("tells the families that the proxy speaks", () => {
    assert.strictEqual(placeProxy(proxy({ ips: ["10.0.0.1", "fd00::1"] }), undefined).ipMode, "Dual")
  })
})
