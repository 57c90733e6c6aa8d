import { assert, describe, it } from "@effect/vitest"
import { untracked } from "@istiod-lite/collections"
import {
  defaultMeshConfig,
  type DestinationRule,
  meshKey,
  type Proxy,
  type Service
} from "@istiod-lite/model"
import { destinationRule, proxy, service, subset } from "@istiod-lite/model/testing"
import { PolicyFixture } from "../testing.ts"

const tax = service({ hostname: "tax.finance.svc.cluster.local", namespace: "finance" })
const client = proxy()

/** A rule with one subset, which is named like the rule. */
const rule = (
  namespace: string,
  host: string,
  name: string,
  fields: Partial<Omit<DestinationRule, "meta">> = {}
): DestinationRule => destinationRule({ host, meta: { name, namespace }, subsets: [subset(name)], ...fields })

const subsetFor = (mesh: PolicyFixture, by: Proxy = client, of: Service = tax): string =>
  mesh.queries
    .destinationRule(untracked, mesh.view(by), of)
    ?.rule.subsets.map(({ name }) => name)
    .join("+") ?? "none"

describe("destinationRule", () => {
  it("goes from the client's namespace to the service's to the root's", () => {
    const mesh = new PolicyFixture().serve(tax)
    assert.strictEqual(subsetFor(mesh), "none")
    mesh.apply("DestinationRule", rule("istio-system", "*", "root"))
    assert.strictEqual(subsetFor(mesh), "root")
    mesh.apply("DestinationRule", rule("finance", "*.cluster.local", "service"))
    assert.strictEqual(subsetFor(mesh), "service")
    mesh.apply("DestinationRule", rule("shop", "*.svc.cluster.local", "client"))
    assert.strictEqual(subsetFor(mesh), "client")
    assert.strictEqual(subsetFor(mesh, proxy({ namespace: "web" })), "service")
  })

  it("takes the most specific host of a namespace, short names too", () => {
    const mesh = new PolicyFixture().apply(
      "DestinationRule",
      rule("finance", "*", "any"),
      rule("finance", "*.finance.svc.cluster.local", "wide"),
      rule("finance", "tax", "short")
    )
    assert.strictEqual(subsetFor(mesh), "short")
    mesh.config.DestinationRule.delete("finance/short")
    assert.strictEqual(subsetFor(mesh), "wide")
  })

  it("skips a namespace whose most specific rule is not exported to the client", () => {
    const mesh = new PolicyFixture().apply(
      "DestinationRule",
      rule("finance", tax.hostname, "hidden", { exportTo: ["web"] }),
      rule("finance", "*.cluster.local", "wide"),
      rule("istio-system", "*", "root")
    )
    assert.strictEqual(subsetFor(mesh), "root")
    assert.strictEqual(subsetFor(mesh, proxy({ namespace: "web" })), "hidden")
  })

  it("uses private rules of the root namespace for its own proxies alone", () => {
    const gateway = proxy({ namespace: "istio-system", type: "router" })
    const mesh = new PolicyFixture().apply(
      "DestinationRule",
      rule("istio-system", "*", "root"),
      rule("finance", tax.hostname, "service")
    )
    assert.strictEqual(subsetFor(mesh, gateway), "service")
    mesh.apply("DestinationRule", rule("istio-system", "*.cluster.local", "own", { exportTo: ["."] }))
    assert.strictEqual(subsetFor(mesh, gateway), "own")
    assert.strictEqual(subsetFor(mesh), "service")
  })

  it("selects workloads by their labels", () => {
    const mesh = new PolicyFixture().apply(
      "DestinationRule",
      rule("shop", tax.hostname, "some", { workloadSelector: { app: "web" } }),
      rule("shop", tax.hostname, "all")
    )
    assert.strictEqual(subsetFor(mesh), "all")
    assert.strictEqual(subsetFor(mesh, proxy({ labels: { app: "web" } })), "some")
    assert.strictEqual(subsetFor(mesh, proxy({ namespace: "finance", labels: { app: "web" } })), "none")
  })

  it("keeps its identity while its objects say the same", () => {
    const mesh = new PolicyFixture().apply(
      "DestinationRule",
      rule("finance", "tax", "v1"),
      rule("finance", tax.hostname, "v2")
    )
    const merged = mesh.queries.destinationRule(untracked, mesh.view(client), tax)
    assert.strictEqual(subsetFor(mesh), "v1+v2")
    mesh.apply("DestinationRule", rule("finance", "other", "x"))
    mesh.mesh.set(meshKey, { ...defaultMeshConfig, trustDomainAliases: ["old"] })
    const again = rule("finance", "tax", "v1")
    mesh.apply("DestinationRule", { ...again, meta: { ...again.meta, labels: { touched: "yes" } } })
    assert.strictEqual(mesh.queries.destinationRule(untracked, mesh.view(client), tax), merged)
    mesh.apply("DestinationRule", rule("finance", "tax", "v1", { subsets: [] }))
    assert.strictEqual(subsetFor(mesh), "v2")
  })
})
