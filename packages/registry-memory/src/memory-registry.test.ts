import { Graph, untracked } from "@istiod-lite/collections"
import { assert, describe, it } from "@effect/vitest"
import { proxy } from "@istiod-lite/model/testing"
import { makeMemoryRegistry, type MemoryRegistryOptions } from "./memory-registry.ts"

const cart = { hostname: "cart.internal", namespace: "shop" }
const ports = [
  { name: "http", number: 80, protocol: "HTTP" },
  { name: "grpc", number: 90, protocol: "GRPC" }
] as const

const make = (options: Partial<MemoryRegistryOptions> = {}) => {
  const graph = new Graph()
  return { graph, memory: makeMemoryRegistry(graph, { id: "machines", ...options }) }
}

describe("makeMemoryRegistry", () => {
  it("belongs after Kubernetes, in the cluster that clients take for their own", () => {
    const { cluster, precedence, provider } = make().memory.registry
    assert.deepEqual(
      { cluster, precedence, provider },
      { cluster: "Kubernetes", precedence: 2, provider: "External" }
    )
  })

  it("puts services and endpoints into the namespace default unless they name one", () => {
    const { memory } = make()
    memory.setService({ hostname: "cart.internal", ports })
    memory.setEndpoints({ hostname: "cart.internal", namespace: "default" }, [
      { addresses: ["192.0.2.1"], port: 1 }
    ])
    const [group] = memory.registry.endpoints.values()
    assert.strictEqual(group?.namespace, "default")
  })

  it("gives an endpoint the first port of its service, unless it names another", () => {
    const { memory } = make()
    memory.setService({ ...cart, ports })
    memory.setEndpoints(cart, [
      { addresses: ["192.0.2.1"], port: 8080 },
      { addresses: ["192.0.2.1"], port: 9090, servicePortName: "grpc" }
    ])
    const [group] = memory.registry.endpoints.values()
    assert.deepEqual(
      group?.endpoints.map(({ servicePortName }) => servicePortName),
      ["http", "grpc"]
    )
  })

  it("follows the service when its first port changes its name", () => {
    const { memory } = make()
    memory.setService({ ...cart, ports })
    memory.setEndpoints(cart, [{ addresses: ["192.0.2.1"], port: 8080 }])
    memory.setService({ ...cart, ports: [{ name: "web", number: 80, protocol: "HTTP" }] })
    const [group] = memory.registry.endpoints.values()
    assert.strictEqual(group?.endpoints[0]?.servicePortName, "web")
  })

  it("adds where an endpoint runs to its labels (S-5)", () => {
    const { memory } = make({ cluster: "c1" })
    memory.setService({ ...cart, ports })
    memory.setEndpoints(cart, [
      { addresses: ["192.0.2.1"], port: 8080, labels: { app: "cart" }, locality: "eu/eu-1", network: "n1" }
    ])
    const [group] = memory.registry.endpoints.values()
    assert.deepEqual(group?.endpoints[0]?.labels, {
      app: "cart",
      "topology.istio.io/cluster": "c1",
      "topology.istio.io/network": "n1",
      "topology.kubernetes.io/region": "eu",
      "topology.kubernetes.io/zone": "eu-1"
    })
  })

  it("keeps a service that has lost its last endpoint (S-61)", () => {
    const { memory } = make()
    memory.setService({ ...cart, ports })
    memory.setEndpoints(cart, [{ addresses: ["192.0.2.1"], port: 8080 }])
    memory.setEndpoints(cart, [])
    assert.strictEqual(memory.registry.endpoints.size, 0)
    assert.strictEqual(memory.registry.services.size, 1)
  })

  it("does not give a service that comes back the endpoints of the one removed", () => {
    const { memory } = make()
    memory.setService({ ...cart, ports })
    memory.setEndpoints(cart, [{ addresses: ["192.0.2.1"], port: 8080 }])
    memory.removeService(cart)
    memory.setService({ ...cart, ports })
    assert.strictEqual(memory.registry.endpoints.size, 0)
  })

  it("tells a transaction as one change", () => {
    const { graph, memory } = make()
    let commits = 0
    graph.onCommit(() => commits++)
    memory.transaction(() => {
      memory.setService({ ...cart, ports })
      memory.setEndpoints(cart, [{ addresses: ["192.0.2.1"], port: 8080 }])
    })
    assert.strictEqual(commits, 1)
  })

  it("replaces its network gateways (S-44)", () => {
    const { memory } = make()
    const gateway = { network: "n2", cluster: "c2", address: "203.0.113.1", port: 15443 }
    memory.setGateways([gateway, { ...gateway, address: "203.0.113.2" }])
    memory.setGateways([gateway])
    assert.deepEqual([...memory.registry.gateways.values()], [gateway])
  })

  it("knows the targets and labels of a proxy at an endpoint's address, in its namespace (S-20, S-51)", () => {
    const { memory } = make()
    memory.setService({ ...cart, ports })
    memory.setEndpoints(cart, [
      { addresses: ["10.20.9.9"], port: 8080, labels: { app: "cart" } },
      { addresses: ["10.20.9.8"], port: 8081 }
    ])
    const { targets, workloadLabels } = memory.registry
    assert.deepEqual(
      targets(untracked, proxy()).map(({ port, targetPort }) => [port.number, targetPort]),
      [[80, 8080]]
    )
    assert.strictEqual(workloadLabels(untracked, proxy())?.["app"], "cart")
    assert.deepEqual(targets(untracked, proxy({ namespace: "other" })), [])
  })

  it("says itself when it is synced (S-82)", () => {
    let synced = false
    const { memory } = make({ synced: () => synced })
    assert.isFalse(memory.registry.synced())
    synced = true
    assert.isTrue(memory.registry.synced())
  })

  it("says since when and why it may be out of date, and goes on to hold what it holds", () => {
    const { memory } = make()
    assert.isUndefined(memory.registry.stale?.())
    const stale = { since: 1000, because: "the inventory does not answer" }
    memory.setStale(stale)
    assert.deepEqual(memory.registry.stale?.(), stale)
    memory.setStale(undefined)
    assert.isUndefined(memory.registry.stale?.())
  })
})
