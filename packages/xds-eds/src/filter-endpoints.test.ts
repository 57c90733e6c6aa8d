import { assert, describe, it } from "@effect/vitest"
import type { Endpoint } from "@istiod-lite/model"
import { endpoint, endpointGroup } from "@istiod-lite/model/testing"
import type { EndpointView } from "./endpoint-view.ts"
import { exclusionOf } from "./filter-endpoints.ts"
import { endpointView } from "./testing/inputs.ts"

const reasonOf = (
  fields: Partial<Endpoint>,
  view: Partial<EndpointView> = {},
  shard = "Kubernetes/Kubernetes"
): string | undefined => exclusionOf(endpoint(fields), endpointGroup({ shard }), endpointView(view))?._tag

type Row = readonly [
  what: string,
  fields: Partial<Endpoint>,
  view: Partial<EndpointView>,
  reason: string | undefined
]

const subset = { name: "v1", labels: { version: "v1" } }

const table: ReadonlyArray<Row> = [
  ["a healthy endpoint of the port", {}, {}, undefined],
  ["another port", { servicePortName: "grpc" }, {}, "OtherPort"],
  ["a hostname", { addresses: ["db.example.com"] }, {}, "NotAnIp"],
  ["an IP with leading zeros", { addresses: ["10.0.0.010"] }, {}, "NotAnIp"],
  ["IPv6", { addresses: ["2001:db8::1"] }, {}, undefined],
  ["a unix socket", { addresses: ["unix:///run/x"], port: 0 }, {}, undefined],
  ["the subset's label", { labels: { version: "v1" } }, { subset }, undefined],
  ["another value of it", { labels: { version: "v2" } }, { subset }, "OtherSubset"],
  ["the client's node", { node: "n1" }, { onlyNode: "n1" }, undefined],
  ["another node", { node: "n2" }, { onlyNode: "n1" }, "OtherNode"],
  ["a network that was asked for", { network: "a" }, { networkView: new Set(["a"]) }, undefined],
  ["another network", { network: "b" }, { networkView: new Set(["a"]) }, "NetworkNotRequested"],
  ["no network", { network: "" }, { networkView: new Set(["a"]) }, undefined],
  ["another cluster", { cluster: "k2" }, {}, undefined],
  ["another cluster, cluster-local", { cluster: "k2" }, { clusterLocal: true }, "OtherCluster"],
  ["no cluster known of the client, cluster-local", {}, { clusterLocal: true, cluster: "" }, "OtherCluster"],
  ["same cluster only", { discoverability: "DiscoverableFromSameCluster" }, {}, undefined],
  [
    "same cluster only, another",
    { discoverability: "DiscoverableFromSameCluster", cluster: "k2" },
    {},
    "OtherCluster"
  ],
  [
    "same cluster only, client without",
    { discoverability: "DiscoverableFromSameCluster", cluster: "k2" },
    { cluster: "" },
    undefined
  ],
  [
    "always discoverable, another cluster",
    { discoverability: "AlwaysDiscoverable", cluster: "k2" },
    {},
    undefined
  ],
  ["no address", { addresses: [""] }, {}, "NoAddress"],
  ["an empty list of addresses", { addresses: [] }, {}, "NoAddress"],
  ["no address, gateways known", { addresses: [""] }, { multiNetwork: true }, undefined],
  ["unhealthy", { health: "UNHEALTHY" }, {}, undefined],
  ["unhealthy, not sent", { health: "UNHEALTHY" }, { unhealthyKeptBack: "switchedOff" }, "Unhealthy"],
  ["terminating", { health: "TERMINATING" }, {}, "Terminating"],
  ["terminating, persistent sessions", { health: "TERMINATING" }, { sendsDraining: true }, "Terminating"],
  ["draining", { health: "DRAINING" }, {}, "Draining"],
  ["draining, persistent sessions", { health: "DRAINING" }, { sendsDraining: true }, undefined],
  ["draining by label", { labels: { "istio.io/draining": "true" } }, {}, "Draining"],
  ["unknown health", { health: "UNKNOWN" }, { unhealthyKeptBack: "switchedOff" }, undefined]
]

describe("exclusionOf", () => {
  it.each(table)("%s", (_, fields, view, reason) => assert.strictEqual(reasonOf(fields, view), reason))

  it("takes a node-local or cluster-local service's endpoints from the client's shards only", () => {
    assert.strictEqual(reasonOf({ node: "n1" }, { onlyNode: "n1" }, "External/k2"), "OtherCluster")
    assert.strictEqual(reasonOf({}, { clusterLocal: true }, "External/k2"), "OtherCluster")
    assert.strictEqual(reasonOf({}, { clusterLocal: true }, "External/Kubernetes"), undefined)
  })

  it("tells the first reason of the order, whatever else there is", () => {
    const worst: Partial<Endpoint> = {
      servicePortName: "grpc",
      addresses: ["db.example.com"],
      node: "n2",
      network: "b",
      cluster: "k2",
      health: "TERMINATING"
    }
    const view: Partial<EndpointView> = {
      subset,
      onlyNode: "n1",
      networkView: new Set(["a"]),
      clusterLocal: true,
      unhealthyKeptBack: "switchedOff"
    }
    assert.strictEqual(reasonOf(worst, view), "OtherPort")
    assert.strictEqual(reasonOf({ ...worst, servicePortName: "http" }, view), "NotAnIp")
    const withIp = { ...worst, servicePortName: "http", addresses: ["10.0.0.1"] }
    assert.strictEqual(reasonOf(withIp, view), "OtherSubset")
    assert.strictEqual(reasonOf({ ...withIp, labels: { version: "v1" } }, view), "OtherNode")
    const onNode = { ...withIp, labels: { version: "v1" }, node: "n1" }
    assert.strictEqual(reasonOf(onNode, view), "NetworkNotRequested")
    assert.strictEqual(reasonOf({ ...onNode, network: "a" }, view), "OtherCluster")
    assert.strictEqual(reasonOf({ ...onNode, network: "a", cluster: "Kubernetes" }, view), "Terminating")
  })
})
