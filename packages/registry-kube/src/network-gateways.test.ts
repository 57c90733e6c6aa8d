import { assert, describe, it } from "@effect/vitest"
import {
  Annotation,
  defaultMeshConfig,
  Label,
  type KubeService,
  type MeshNetworks,
  noLabels
} from "@istiod-lite/model"
import { kubePort, kubeService, node } from "@istiod-lite/model/testing"
import { convertService } from "./convert-service.ts"
import { networkGatewaysOf } from "./network-gateways.ts"

const host = "reviews.shop.svc.cluster.local"
const ports = [
  kubePort({ name: "tls", port: 15443, nodePort: 31443 }),
  kubePort({ name: "tls-2", port: 443, nodePort: 30443 })
]
const entrance = { type: "LoadBalancer", loadBalancerIngress: [{ ip: "203.0.113.1", hostname: "" }], ports }
const named = { [Label.network]: "n1" }
const nodes = [
  node("n1", { edge: "yes" }, "198.51.100.1"),
  node("n2", { edge: "yes" }),
  node("n3", {}, "198.51.100.3")
]

const gatewaysOf = (kube: KubeService, networks: MeshNetworks = {}) => {
  const service = convertService(kube, {
    cluster: "c1",
    mesh: defaultMeshConfig,
    namespaceAnnotations: noLabels
  })
  return networkGatewaysOf(service, kube, { cluster: "c1", networks, nodes: () => nodes }).map(
    ({ address, network, port }) => `${network} ${address}:${port}`
  )
}
const settings = (fromRegistry: string, registryServiceName = host): MeshNetworks => ({
  n9: {
    endpoints: [{ fromRegistry }],
    gateways: [
      { registryServiceName, port: 443 },
      { address: "192.0.2.1", port: 1 }
    ]
  }
})

describe("networkGatewaysOf (S-44)", () => {
  it.each<[string, Parameters<typeof kubeService>[0] & object, MeshNetworks, ReadonlyArray<string>]>([
    [
      "a service with a network label, at port 15443",
      { ...entrance, meta: { labels: named } },
      {},
      ["n1 203.0.113.1:15443"]
    ],
    [
      "the port that its label names",
      { ...entrance, meta: { labels: { ...named, [Label.gatewayPort]: "443" } } },
      {},
      ["n1 203.0.113.1:443"]
    ],
    [
      "port 15443 where the label is no number",
      { ...entrance, meta: { labels: { ...named, [Label.gatewayPort]: "443x" } } },
      {},
      ["n1 203.0.113.1:15443"]
    ],
    ["none without that port", { ...entrance, ports: [kubePort()], meta: { labels: named } }, {}, []],
    ["none without an external address", { ports, meta: { labels: named } }, {}, []],
    [
      "its external IPs",
      { ports, externalIPs: ["198.51.100.9"], meta: { labels: named } },
      {},
      ["n1 198.51.100.9:15443"]
    ],
    [
      "a hostname as it is",
      { ...entrance, loadBalancerIngress: [{ ip: "", hostname: "lb.example" }], meta: { labels: named } },
      {},
      ["n1 lb.example:15443"]
    ],
    ["a service that the settings of its cluster name", entrance, settings("c1"), ["n9 203.0.113.1:443"]],
    ["none that the settings of another cluster name", entrance, settings("c2"), []],
    ["none by another name", entrance, settings("c1", "cart.shop.svc.cluster.local"), []],
    [
      "the label's network, whatever the settings say",
      { ...entrance, meta: { labels: named } },
      settings("c1"),
      ["n1 203.0.113.1:15443"]
    ],
    ["none without label and settings", entrance, {}, []]
  ])("are %s", (_, fields, networks, expected) => {
    assert.deepEqual(gatewaysOf(kubeService(fields), networks), expected)
  })

  it.each([
    [
      "the external addresses of nodes that it selects, at the node port",
      '{"edge":"yes"}',
      ["n1 198.51.100.1:31443"]
    ],
    ["those of all nodes, for an empty selector", "{}", ["n1 198.51.100.1:31443", "n1 198.51.100.3:31443"]],
    [
      "those of all nodes, for a selector that is not JSON",
      "edge",
      ["n1 198.51.100.1:31443", "n1 198.51.100.3:31443"]
    ]
  ])("of a NodePort service are %s (S-11)", (_, selector, expected) => {
    const annotations = { [Annotation.nodeSelector]: selector }
    assert.deepEqual(
      gatewaysOf(kubeService({ type: "NodePort", ports, meta: { labels: named, annotations } })),
      expected
    )
  })

  it("of a NodePort service with a selector are its nodes', whatever external IPs it has (S-11)", () => {
    const meta = { labels: named, annotations: { [Annotation.nodeSelector]: '{"edge":"yes"}' } }
    assert.deepEqual(
      gatewaysOf(kubeService({ type: "NodePort", ports, externalIPs: ["198.51.100.9"], meta })),
      ["n1 198.51.100.1:31443"]
    )
  })
})
