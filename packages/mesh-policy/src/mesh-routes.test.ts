import { assert, describe, it } from "@effect/vitest"
import type { VirtualService } from "@istiod-lite/model"
import { virtualService } from "@istiod-lite/model/testing"
import { isMeshRoutes, neededHosts, readMeshRoutes } from "./mesh-routes.ts"

const delegate = virtualService({
  meta: { name: "delegate", namespace: "team" },
  hosts: [],
  destinations: [
    { host: "a", port: 80 },
    { host: "b.example.com", port: 0, sourceNamespaces: ["shop", "web"] }
  ]
})

const read = (own: VirtualService) =>
  readMeshRoutes(
    own,
    ["*"],
    (namespace, name) => (namespace === "team" && name === "delegate" ? delegate : undefined),
    "cluster.local"
  )

describe("isMeshRoutes", () => {
  it("holds for routes of sidecars, not for delegates and gateways' own", () => {
    assert.isTrue(isMeshRoutes(virtualService()))
    assert.isTrue(isMeshRoutes(virtualService({ gateways: ["shop/edge", "mesh"] })))
    assert.isFalse(isMeshRoutes(virtualService({ gateways: ["shop/edge"] })))
    assert.isFalse(isMeshRoutes(delegate))
  })
})

describe("readMeshRoutes", () => {
  it("makes short names absolute in their object's namespace", () => {
    const { destinations, hosts } = read(
      virtualService({
        hosts: ["reviews"],
        delegates: [{ namespace: "team", name: "delegate" }],
        destinations: [{ host: "cart", port: 8 }]
      })
    )
    assert.deepEqual(hosts, ["reviews.shop.svc.cluster.local"])
    assert.deepEqual(
      destinations.map(({ host }) => host),
      ["cart.shop.svc.cluster.local", "a.team.svc.cluster.local", "b.example.com"]
    )
  })

  it("narrows delegated routes to the sources of the route that delegates", () => {
    const own = virtualService({
      delegates: [
        { namespace: "team", name: "delegate", sourceNamespaces: ["web"] },
        { namespace: "team", name: "gone" }
      ]
    })
    const hostsFor = (namespace: string) => neededHosts(read(own), namespace).map(({ host }) => host)
    assert.deepEqual(hostsFor("web"), ["a.team.svc.cluster.local", "b.example.com"])
    assert.deepEqual(hostsFor("shop"), [])
  })
})

describe("neededHosts", () => {
  it("collects the ports of each host; a destination without one means all", () => {
    const destinations = [
      { host: "b.x", port: 80 },
      { host: "a.x", port: 80 },
      { host: "b.x", port: 443 },
      { host: "a.x", port: 0 }
    ]
    assert.deepEqual(neededHosts(read(virtualService({ destinations })), "shop"), [
      { host: "a.x", ports: [] },
      { host: "b.x", ports: [80, 443] }
    ])
  })
})
