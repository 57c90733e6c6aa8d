import { assert, describe, it } from "@effect/vitest"
import type { Service } from "@istiod-lite/model"
import { Effect } from "effect"
import { clientOf, type ExplainedPlane, explainedPlane } from "../testing/explained-plane.ts"
import { pod, service, serviceEntry, slice } from "../testing/manifests.ts"
import type { Client } from "./clients.ts"
import { explainService } from "./explain-service.ts"

const explain = (plane: ExplainedPlane, hostname: string, client?: Client) => {
  const context = plane.context()
  const [first, ...others] = context.discovery.byHostname.lookup(hostname).map(([, one]) => one)
  assert.isDefined(first)
  const services: readonly [Service, ...ReadonlyArray<Service>] = [first, ...others]
  return explainService(context, services, undefined, client)
}
const cartHost = "cart.shop.svc.cluster.local"

describe("explainService", () => {
  it.effect.each([
    {
      name: "an empty workloadSelector",
      objects: [serviceEntry("erp", "erp.example", { workloadSelector: { labels: {} } })],
      hostname: "erp.example",
      rule: "D-16",
      says: /ServiceEntry shop\/erp has an empty workloadSelector/
    },
    {
      name: "a selector that selects nothing",
      objects: [serviceEntry("erp", "erp.example", { workloadSelector: { labels: { app: "erp" } } })],
      hostname: "erp.example",
      rule: "S-32",
      says: /selects app=erp, and no workload of namespace shop has these labels/
    },
    {
      name: "a ServiceEntry without endpoints",
      objects: [serviceEntry("erp", "erp.example")],
      hostname: "erp.example",
      rule: "S-32",
      says: /ServiceEntry shop\/erp lists no endpoints/
    },
    {
      name: "a Service without slices",
      objects: [service("cart")],
      hostname: cartHost,
      rule: "S-13",
      says: /no EndpointSlice of namespace shop has endpoints for Service shop\/cart, and no WorkloadEntry is selected by app=cart/
    },
    {
      name: "an alias",
      objects: [service("cart", { type: "ExternalName", externalName: "cart.example", clusterIP: "" })],
      hostname: cartHost,
      rule: "S-10",
      says: /another name \(ExternalName\) of cart\.example/
    },
    {
      name: "a host that clients resolve by DNS",
      objects: [serviceEntry("erp", "erp.example", { resolution: "DNS" })],
      hostname: "erp.example",
      rule: "S-60",
      says: /resolve erp\.example by DNS themselves/
    }
  ])("names $name", ({ hostname, objects, rule, says }) =>
    Effect.gen(function* () {
      const plane = yield* explainedPlane(objects)
      const [finding, ...others] = explain(plane, hostname).findings
      assert.lengthOf(others, 0)
      assert.strictEqual(finding?.rule, rule)
      assert.match(finding?.text ?? "", says)
      assert.notStrictEqual(finding?.remedy ?? "", "")
    })
  )

  it.effect("says who does not see a service, and what its endpoints are then", () =>
    Effect.gen(function* () {
      const plane = yield* explainedPlane([
        service("cart", {}, { annotations: { "networking.istio.io/exportTo": "." } }),
        pod("cart-1", "10.8.0.1"),
        slice("cart", "10.8.0.1")
      ])
      const forGuest = explain(plane, cartHost, clientOf("guest-1", "lobby"))
      assert.deepEqual(
        forGuest.claims.map(({ outcome }) => outcome),
        ["loses"]
      )
      assert.match(forGuest.findings[0]?.text ?? "", /is exported to shop, not to namespace lobby/)
      assert.deepEqual(
        forGuest.endpoints.map(({ outcome }) => outcome),
        ["not sent"]
      )
      const forAll = explain(plane, cartHost)
      assert.deepEqual(forAll.findings, [])
      assert.deepEqual(
        forAll.endpoints.map(({ outcome }) => outcome),
        ["sent"]
      )
    })
  )
})
