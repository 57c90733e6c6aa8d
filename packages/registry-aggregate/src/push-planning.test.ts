import { assert, describe, it } from "@effect/vitest"
import type { Service, ServiceEndpoints, WorkloadInstance } from "@istiod-lite/model"
import { endpoint, service } from "@istiod-lite/model/testing"
import { type DiscoveryChanges, planPush } from "./push-planning.ts"

const nothing: DiscoveryChanges = { services: [], endpoints: [], workloads: [], everywhere: new Map() }
const cart: Service = service({ hostname: "cart.shop.svc.cluster.local", namespace: "shop" })
const cartEndpoints: ServiceEndpoints = {
  hostname: cart.hostname,
  namespace: cart.namespace,
  groups: [],
  serviceAccounts: []
}
const workload = (labels: Record<string, string>, health: WorkloadInstance["health"]): WorkloadInstance => {
  const { origin, ...facts } = endpoint({ labels })
  return {
    kind: "Pod",
    name: "cart-1",
    namespace: "shop",
    cluster: "Kubernetes",
    facts,
    health,
    sendUnhealthy: true,
    discoverability: "",
    ports: {},
    addressKind: "ip",
    origin
  }
}

describe("planPush", () => {
  it("plans nothing when nothing that clients see has changed", () => {
    assert.isUndefined(planPush(nothing, 0))
  })

  it("names the service whose endpoints changed, and nothing else", () => {
    const endpoints = [{ key: "k", old: undefined, now: cartEndpoints }]
    assert.deepEqual(planPush({ ...nothing, endpoints }, 7), {
      full: false,
      services: new Set<string>(),
      endpoints: new Set(["shop/cart.shop.svc.cluster.local"]),
      proxies: new Set<string>(),
      reasons: new Map([["endpoint", 1]]),
      since: 7
    })
  })

  it("names a service that goes, and both names of one that changes its name", () => {
    const renamed = { ...cart, hostname: "basket.shop.svc.cluster.local" }
    const services = [
      { key: "a", old: cart, now: undefined },
      { key: "b", old: cart, now: renamed }
    ]
    assert.deepEqual(
      [...(planPush({ ...nothing, services }, 0)?.services ?? [])],
      ["shop/cart.shop.svc.cluster.local", "shop/basket.shop.svc.cluster.local"]
    )
  })

  it("names the proxy of a workload whose labels changed", () => {
    const old = workload({ app: "cart" }, "HEALTHY")
    const now = workload({ app: "cart", version: "v2" }, "HEALTHY")
    const request = planPush({ ...nothing, workloads: [{ key: "w", old, now }] }, 0)
    assert.deepEqual([...(request?.proxies ?? [])], ["cart-1.shop"])
    assert.isFalse(request?.full)
  })

  it("names no proxy because of its workload's health", () => {
    const old = workload({ app: "cart" }, "HEALTHY")
    const now = workload({ app: "cart" }, "UNHEALTHY")
    assert.isUndefined(planPush({ ...nothing, workloads: [{ key: "w", old, now }] }, 0))
  })

  it("asks for everything when a policy, a network or the mesh configuration changed", () => {
    const everywhere = new Map([["DestinationRule", 2]])
    const request = planPush({ ...nothing, everywhere }, 0)
    assert.isTrue(request?.full)
    assert.deepEqual(request?.reasons, everywhere)
  })
})
