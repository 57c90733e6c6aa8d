import { assert, describe, it } from "@effect/vitest"
import { defaultMeshConfig, meshKey, type Proxy, type Sidecar } from "@istiod-lite/model"
import { proxy, service, sidecar, virtualService } from "@istiod-lite/model/testing"
import { PolicyFixture } from "../testing.ts"

const reviews = service()
const tax = service({ hostname: "tax.finance.svc.cluster.local", namespace: "finance" })
const client = proxy()

const sidecarIn = (
  namespace: string,
  host: string,
  name = "default",
  fields: Partial<Omit<Sidecar, "meta">> = {}
): Sidecar => sidecar([host], { meta: { name, namespace }, ...fields })

const seen = (mesh: PolicyFixture, by: Proxy = client): string =>
  mesh
    .view(by)
    .scope.services.map(({ name }) => name)
    .join(" ")

describe("viewOf scopes", () => {
  const secret = service({
    hostname: "secret.finance.svc.cluster.local",
    namespace: "finance",
    exportTo: ["finance"]
  })
  const shared = service({
    hostname: "shared.finance.svc.cluster.local",
    namespace: "finance",
    exportTo: ["shop"]
  })
  const nobody = service({ hostname: "nobody.shop.svc.cluster.local", exportTo: ["~", "shop"] })
  const services = [reviews, tax, secret, shared, nobody]

  it("shows what is exported to the namespace", () => {
    const mesh = new PolicyFixture().serve(...services)
    assert.strictEqual(seen(mesh), "reviews shared tax")
    assert.strictEqual(seen(mesh, proxy({ namespace: "finance" })), "reviews secret tax")
    assert.strictEqual(seen(mesh, proxy({ namespace: "web" })), "reviews tax")
  })

  it("follows the mesh's default visibility, and its reload", () => {
    const mesh = new PolicyFixture({ defaultServiceExportTo: ["."] }).serve(...services)
    assert.strictEqual(seen(mesh), "reviews shared")
    mesh.mesh.set(meshKey, defaultMeshConfig)
    assert.strictEqual(seen(mesh), "reviews shared tax")
  })

  it("chooses the Sidecar that selects the workload, the namespace's, the root namespace's", () => {
    const mesh = new PolicyFixture().serve(reviews, tax)
    assert.strictEqual(seen(mesh), "reviews tax")
    mesh.apply("Sidecar", sidecarIn("istio-system", "*/tax.finance.svc.cluster.local"))
    assert.strictEqual(seen(mesh), "tax")
    mesh.apply("Sidecar", sidecarIn("shop", "finance/none", "a"))
    assert.strictEqual(seen(mesh), "")
    const selecting = sidecarIn("shop", "./*", "z", { workloadSelector: { app: "web" } })
    mesh.apply("Sidecar", selecting)
    assert.strictEqual(seen(mesh, proxy({ labels: { app: "web" } })), "reviews")
    assert.strictEqual(seen(mesh), "")
    mesh.config.Sidecar.delete("shop/a")
    assert.strictEqual(seen(mesh), "tax")
  })

  it("keeps nothing of a host that is no longer excluded", () => {
    const hosts = [`*/${reviews.hostname}`]
    const importing = sidecar(hosts, { meta: { namespace: "shop" } })
    const excluding = sidecar([...hosts, "~/*.example.com"], { meta: { namespace: "shop" } })
    const mesh = new PolicyFixture().serve(reviews).apply("Sidecar", excluding)
    mesh.view(client)
    mesh.apply("Sidecar", importing)
    const fresh = new PolicyFixture().serve(reviews).apply("Sidecar", importing)
    assert.deepEqual(mesh.view(client), fresh.view(client))
  })

  it("takes the root namespace's Sidecar as if it were the client's", () => {
    const mesh = new PolicyFixture().serve(reviews, tax).apply("Sidecar", sidecarIn("istio-system", "./*"))
    assert.strictEqual(seen(mesh), "reviews")
    assert.strictEqual(seen(mesh, proxy({ namespace: "finance" })), "tax")
  })

  it("ignores Sidecars for gateways", () => {
    const mesh = new PolicyFixture().serve(reviews, tax).apply("Sidecar", sidecarIn("shop", "finance/none"))
    assert.strictEqual(seen(mesh, proxy({ type: "router" })), "reviews tax")
  })

  it("infers services from routes that are visible to the client", () => {
    const destinations = [{ host: tax.hostname, port: 0 }]
    const routes = (namespace: string, exportTo: ReadonlyArray<string>) =>
      virtualService({ destinations, exportTo, meta: { namespace } })
    const mesh = new PolicyFixture()
      .serve(reviews, tax)
      .apply("Sidecar", sidecarIn("shop", `*/${reviews.hostname}`))
    assert.strictEqual(seen(mesh), "reviews")
    mesh.apply("VirtualService", routes("finance", ["."]))
    assert.strictEqual(seen(mesh), "reviews")
    mesh.apply("VirtualService", routes("finance", ["shop"]))
    assert.strictEqual(seen(mesh), "reviews tax")
    mesh.config.VirtualService.replace([])
    assert.strictEqual(seen(mesh), "reviews")
  })

  it("is shared by the proxies of a scope, and stays while nothing of it changes", () => {
    const mesh = new PolicyFixture().serve(reviews, tax)
    const view = mesh.view(client)
    assert.strictEqual(mesh.view(proxy({ name: "other" })).scope, view.scope)
    mesh.serve(service({ hostname: "private.web.svc.cluster.local", namespace: "web", exportTo: ["."] }))
    mesh.apply("Sidecar", sidecarIn("web", "./*"))
    assert.strictEqual(mesh.view(client), view)
    mesh.workloads.set(client.id, { app: "web" })
    const labelled = mesh.view(client)
    assert.strictEqual(labelled.labels["app"], "web")
    assert.strictEqual(labelled.scope, view.scope)
    mesh.serve(service({ hostname: "new.shop.svc.cluster.local" }))
    assert.notStrictEqual(mesh.view(client).scope, view.scope)
  })
})
