import { assert, describe, it } from "@effect/vitest"
import type { Service } from "@istiod-lite/model"
import { entryService, service } from "@istiod-lite/model/testing"
import * as fc from "fast-check"
import { computeScope } from "./common-scope.ts"
import type { ScopeInputs } from "./imported-services.ts"
import { computeSidecarScope } from "./sidecar-scope.ts"

const reviews = service()
const tax = service({ hostname: "tax.finance.svc.cluster.local", namespace: "finance" })

const inputs = (visible: ReadonlyArray<Service>, fields: Partial<ScopeInputs> = {}): ScopeInputs => ({
  key: "shop|",
  namespace: "shop",
  egress: [],
  visible,
  isVisible: (of) => visible.includes(of),
  servicesOf: (hostname) => visible.filter((of) => of.hostname === hostname),
  routes: [],
  ...fields
})

const namespace = fc.constantFrom("shop", "web")
const fields = fc.record({
  hostname: fc.constantFrom("a.x", "b.x", "c.x"),
  namespace,
  ports: fc
    .subarray([80, 443], { minLength: 1 })
    .map((numbers) => numbers.map((number) => ({ name: "", number, protocol: "TCP" as const })))
})
const anyService = fc.oneof(fields.map(service), fields.map(entryService))

describe("computeScope", () => {
  it("shares the lists of namespaces that see the same", () => {
    const visible = [reviews, tax]
    const shop = computeScope(inputs(visible))
    const web = computeScope(inputs(visible, { key: "web|", namespace: "web" }))
    assert.strictEqual(web.services, shop.services)
    assert.strictEqual(web.byHostname, shop.byHostname)
    assert.deepEqual([shop.key, web.key, web.namespace], ["shop|", "web|", "web"])
  })

  it("equals the scope computed for the namespace alone", () => {
    fc.assert(
      fc.property(
        fc.array(anyService, { maxLength: 6 }),
        fc.array(anyService, { maxLength: 2 }),
        fc.array(fc.record({ host: fc.constantFrom("a.x", "b.x", "c.x"), port: fc.constantFrom(0, 80) }), {
          maxLength: 2
        }),
        namespace,
        (visible, hidden, destinations, own) => {
          const routes = [
            { namespace: own, name: "", creationTime: "", hosts: ["a.x"], audience: ["*"], destinations }
          ]
          const servicesOf = (hostname: string) =>
            [...visible, ...hidden].filter((of) => of.hostname === hostname)
          const given = inputs(visible, { namespace: own, routes, servicesOf })
          assert.deepEqual(computeScope(given), computeSidecarScope(given))
        }
      ),
      { numRuns: 300 }
    )
  })
})
