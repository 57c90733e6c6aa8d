import { assert, describe, it } from "@effect/vitest"
import { untracked } from "@istiod-lite/collections"
import type { DestinationRule, Service, Sidecar, VirtualService } from "@istiod-lite/model"
import { entryService, objectMeta, proxy, service } from "@istiod-lite/model/testing"
import * as fc from "fast-check"
import { PolicyFixture, serviceEntryKey } from "../testing.ts"

const namespace = fc.constantFrom("shop", "web", "istio-system")
const host = fc.constantFrom("a.example.com", "b.example.com", "a.shop.svc.cluster.local")
const pattern = fc.oneof(host, fc.constantFrom("*", "*.example.com", "*.cluster.local"))
// Mostly unsaid, so that edits often meet another state of the same object and differ in little else.
const exportTo = fc.oneof(
  { weight: 3, arbitrary: fc.constant([]) },
  { weight: 1, arbitrary: fc.subarray(["*", ".", "~", "shop", "web"], { maxLength: 2 }) }
)
const age = fc.constantFrom("2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z")
const ports = fc
  .uniqueArray(fc.constantFrom(80, 443, 9090), { minLength: 1 })
  .map((numbers) => numbers.map((number) => ({ name: `p${number}`, number, protocol: "TCP" as const })))
const meta = fc.record({ creationTime: age, name: fc.constantFrom("x", "y"), namespace }).map(objectMeta)
const selector = fc.constantFrom(undefined, undefined, { app: "web" })

const services = fc
  .record({ creationTime: age, exportTo, hostname: host, namespace, ports })
  .chain((fields): fc.Arbitrary<Service> =>
    fc.constantFrom(service(fields), entryService(fields), entryService({ ...fields, objectName: "second" }))
  )
const sidecars: fc.Arbitrary<Sidecar> = fc.record({
  meta,
  workloadSelector: selector,
  egress: fc.array(
    fc.record({
      hosts: fc.array(
        fc.tuple(fc.constantFrom("*", ".", "shop", "~", "~web"), pattern).map((parts) => parts.join("/")),
        { minLength: 1, maxLength: 3 }
      ),
      port: fc.constantFrom(undefined, { name: "", number: 80, protocol: "HTTP" })
    }),
    { maxLength: 2 }
  )
})
const routes: fc.Arbitrary<VirtualService> = fc.record({
  meta,
  hosts: fc.array(pattern, { maxLength: 1 }),
  gateways: fc.constant(["mesh"]),
  exportTo,
  destinations: fc.array(fc.record({ host, port: fc.constantFrom(0, 80) }), { maxLength: 2 })
})
const rules: fc.Arbitrary<DestinationRule> = fc.record({
  meta,
  host: fc.oneof(pattern, fc.constant("a")),
  exportTo,
  workloadSelector: selector,
  trafficPolicy: fc.constant(undefined),
  subsets: meta.map(({ name }) => [{ name, labels: {}, trafficPolicy: undefined }])
})

type Step = (mesh: PolicyFixture) => unknown

/** One edit of the mesh's objects. */
const step: fc.Arbitrary<Step> = fc.oneof(
  services.map((value) => (mesh: PolicyFixture) => mesh.serve(value)),
  services.map((value) => (mesh: PolicyFixture) => mesh.services.delete(serviceEntryKey(value))),
  sidecars.map((value) => (mesh: PolicyFixture) => mesh.apply("Sidecar", value)),
  routes.map((value) => (mesh: PolicyFixture) => mesh.apply("VirtualService", value)),
  rules.map((value) => (mesh: PolicyFixture) => mesh.apply("DestinationRule", value)),
  meta.map(
    ({ name, namespace: of }) =>
      (mesh: PolicyFixture) =>
        mesh.config.Sidecar.delete(`${of}/${name}`)
  ),
  meta.map(
    ({ name, namespace: of }) =>
      (mesh: PolicyFixture) =>
        mesh.config.DestinationRule.delete(`${of}/${name}`)
  )
)

const clients = [
  proxy({ namespace: "shop" }),
  proxy({ namespace: "shop", labels: { app: "web" } }),
  proxy({ namespace: "web" }),
  proxy({ namespace: "istio-system", type: "router" })
]

/** All that the clients see. */
const answers = (mesh: PolicyFixture) =>
  clients.map((client) => {
    const view = mesh.view(client)
    return {
      names: mesh.queries.clusterNames(untracked, view),
      rules: view.scope.services.map((of) => mesh.queries.destinationRule(untracked, view, of)),
      scope: view.scope
    }
  })

const rebuilt = (mesh: PolicyFixture): PolicyFixture => {
  const fresh = new PolicyFixture()
  fresh.services.replace(mesh.services.entries())
  fresh.config.Sidecar.replace(mesh.config.Sidecar.entries())
  fresh.config.VirtualService.replace(mesh.config.VirtualService.entries())
  fresh.config.DestinationRule.replace(mesh.config.DestinationRule.entries())
  return fresh
}

describe("mesh policy after any edits", () => {
  it("answers as one that is built from the objects at once", () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 5, maxLength: 40 }), (steps) => {
        const mesh = new PolicyFixture()
        for (const edit of steps) {
          edit(mesh)
          answers(mesh)
        }
        assert.deepEqual(answers(mesh), answers(rebuilt(mesh)))
      }),
      { numRuns: 200 }
    )
  })

  it("keeps the views of clients that an edit does not concern", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), services, (steps, other) => {
        const mesh = new PolicyFixture()
        for (const edit of steps) edit(mesh)
        const views = clients.map((client) => mesh.view(client))
        mesh.serve({ ...other, hostname: "other.example.com", namespace: "other", exportTo: ["."] })
        clients.forEach((client, i) => assert.strictEqual(mesh.view(client), views[i]))
      }),
      { numRuns: 50 }
    )
  })
})
