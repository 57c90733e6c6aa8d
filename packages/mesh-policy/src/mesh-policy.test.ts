import { assert, describe, it } from "@effect/vitest"
import { untracked } from "@istiod-lite/collections"
import {
  type ClusterObjects,
  defaultMeshConfig,
  type DestinationRule,
  DiscoveryGraph,
  type Gateway,
  MeshConfig,
  meshKey,
  type NetworkGateway,
  ObjectSource,
  type PeerAuthentication,
  type Proxy,
  type Service,
  ServiceDiscovery,
  type Sidecar,
  type VirtualService
} from "@istiod-lite/model"
import { entryService, objectMeta, proxy, service } from "@istiod-lite/model/testing"
import { Effect, Layer } from "effect"
import { PolicyFixture, serviceEntryKey } from "../testing.ts"
import { MeshPolicy } from "./mesh-policy.ts"

const meta = (namespace: string, name = "policy") => objectMeta({ name, namespace })

const sidecar = (namespace: string, host: string, fields: Partial<Sidecar> = {}): Sidecar => ({
  meta: meta(namespace),
  workloadSelector: undefined,
  egress: [{ hosts: [host], port: undefined }],
  ...fields
})

const rule = (namespace: string, host: string, subset: string, fields: Partial<DestinationRule> = {}) => ({
  meta: meta(namespace, subset),
  host,
  exportTo: [],
  workloadSelector: undefined,
  trafficPolicy: undefined,
  subsets: [{ name: subset, labels: {}, trafficPolicy: undefined }],
  ...fields
})

const alias = (name: string, externalName: string): Service =>
  service({
    hostname: `${name}.shop.svc.cluster.local`,
    resolution: "alias",
    kube: {
      type: "ExternalName",
      externalName,
      nodeLocal: false,
      publishNotReadyAddresses: false,
      externalAddresses: {},
      externalPorts: {},
      targetPorts: []
    }
  })

const reviews = service()
const tax = service({ hostname: "tax.finance.svc.cluster.local", namespace: "finance" })
const client = proxy()

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
    mesh.apply("Sidecar", sidecar("istio-system", "*/tax.finance.svc.cluster.local"))
    assert.strictEqual(seen(mesh), "tax")
    mesh.apply("Sidecar", sidecar("shop", "finance/none", { meta: meta("shop", "a") }))
    assert.strictEqual(seen(mesh), "")
    const selecting = sidecar("shop", "./*", { meta: meta("shop", "z"), workloadSelector: { app: "web" } })
    mesh.apply("Sidecar", selecting)
    assert.strictEqual(seen(mesh, proxy({ labels: { app: "web" } })), "reviews")
    assert.strictEqual(seen(mesh), "")
    mesh.config.Sidecar.delete("shop/a")
    assert.strictEqual(seen(mesh), "tax")
  })

  it("takes the root namespace's Sidecar as if it were the client's", () => {
    const mesh = new PolicyFixture().serve(reviews, tax).apply("Sidecar", sidecar("istio-system", "./*"))
    assert.strictEqual(seen(mesh), "reviews")
    assert.strictEqual(seen(mesh, proxy({ namespace: "finance" })), "tax")
  })

  it("ignores Sidecars for gateways", () => {
    const mesh = new PolicyFixture().serve(reviews, tax).apply("Sidecar", sidecar("shop", "finance/none"))
    assert.strictEqual(seen(mesh, proxy({ type: "router" })), "reviews tax")
  })

  it("infers services from routes that are visible to the client", () => {
    const routes = (namespace: string, exportTo: ReadonlyArray<string>): VirtualService => ({
      meta: meta(namespace),
      hosts: [reviews.hostname],
      gateways: ["mesh"],
      exportTo,
      destinations: [{ host: tax.hostname, port: 0 }]
    })
    const mesh = new PolicyFixture()
      .serve(reviews, tax)
      .apply("Sidecar", sidecar("shop", `*/${reviews.hostname}`))
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
    mesh.apply("Sidecar", sidecar("web", "./*"))
    assert.strictEqual(mesh.view(client), view)
    mesh.workloads.set(client.id, { app: "web" })
    const labelled = mesh.view(client)
    assert.strictEqual(labelled.labels["app"], "web")
    assert.strictEqual(labelled.scope, view.scope)
    mesh.serve(service({ hostname: "new.shop.svc.cluster.local" }))
    assert.notStrictEqual(mesh.view(client).scope, view.scope)
  })
})

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
    mesh.apply("DestinationRule", {
      ...rule("finance", "tax", "v1"),
      meta: { ...meta("finance", "v1"), resourceVersion: "2" }
    })
    assert.strictEqual(mesh.queries.destinationRule(untracked, mesh.view(client), tax), merged)
    mesh.apply("DestinationRule", rule("finance", "tax", "v1", { subsets: [] }))
    assert.strictEqual(subsetFor(mesh), "v2")
  })
})

const policy = (namespace: string, fields: Partial<PeerAuthentication>): PeerAuthentication => ({
  meta: meta(namespace),
  selector: undefined,
  mtls: "UNSET",
  portLevelMtls: {},
  ...fields
})

describe("peerAuthentication", () => {
  it("finds the policies of the workload's and the root namespace", () => {
    const mesh = new PolicyFixture()
    const modeIn = (namespace: string) =>
      mesh.queries.peerAuthentication(untracked, { namespace, labels: { app: "tax" } }, 80)
    assert.strictEqual(modeIn("finance"), "PERMISSIVE")
    mesh.apply("PeerAuthentication", policy("istio-system", { mtls: "STRICT" }))
    assert.strictEqual(modeIn("istio-system"), "STRICT")
    mesh.apply(
      "PeerAuthentication",
      policy("finance", { selector: { app: "tax" }, portLevelMtls: { 80: "DISABLE" } })
    )
    assert.strictEqual(modeIn("finance"), "DISABLE")
    assert.strictEqual(modeIn("shop"), "STRICT")
  })
})

const aliasNames = (mesh: PolicyFixture, of: Service) =>
  mesh.queries.aliases(untracked, mesh.view(client), of).map(({ hostname }) => hostname.split(".")[0])

describe("aliases", () => {
  it("lead through other aliases, to any service of the name, and never in circles", () => {
    const mesh = new PolicyFixture().serve(
      tax,
      alias("levy", tax.hostname),
      alias("duty", "levy.shop.svc.cluster.local"),
      alias("a", "b.shop.svc.cluster.local"),
      alias("b", "a.shop.svc.cluster.local"),
      alias("lost", "nowhere.example.com")
    )
    assert.deepEqual(aliasNames(mesh, tax), ["duty", "levy"])
    mesh.services.delete(serviceEntryKey(alias("levy", tax.hostname)))
    assert.deepEqual(aliasNames(mesh, tax), [])
  })

  it("come along with a service only if the Sidecar imports them", () => {
    const mesh = new PolicyFixture().serve(tax, alias("levy", tax.hostname), alias("duty", tax.hostname))
    mesh.apply("Sidecar", sidecar("shop", "./*", { egress: [{ hosts: ["finance/*"], port: undefined }] }))
    assert.deepEqual(aliasNames(mesh, tax), ["duty", "levy"])
    const hosts = [`*/${tax.hostname}`, "*/levy.shop.svc.cluster.local"]
    mesh.apply("Sidecar", sidecar("shop", "", { egress: [{ hosts, port: undefined }] }))
    assert.deepEqual(aliasNames(mesh, tax), ["levy"])
  })
})

describe("accounts", () => {
  it("unites the service's own and its endpoints', in every trust domain", () => {
    const mesh = new PolicyFixture({ trustDomainAliases: ["old.example"] })
    const own = { ...tax, serviceAccounts: ["tax.example.com", "spiffe://cluster.local/ns/finance/sa/tax"] }
    const { hostname, namespace } = tax
    const serviceAccounts = ["spiffe://cluster.local/ns/vm/sa/a", "spiffe://odd"]
    mesh.endpoints.set("finance/tax.finance.svc.cluster.local", {
      groups: [],
      hostname,
      namespace,
      serviceAccounts
    })
    assert.deepEqual(mesh.queries.accounts(untracked, own), [
      "spiffe://cluster.local/ns/finance/sa/tax",
      "spiffe://cluster.local/ns/vm/sa/a",
      "spiffe://odd",
      "spiffe://old.example/ns/finance/sa/tax",
      "spiffe://old.example/ns/vm/sa/a",
      "tax.example.com"
    ])
    assert.deepEqual(mesh.queries.accounts(untracked, reviews), [])
  })
})

const gateway = (tlsMode: string): Gateway => ({
  meta: meta("istio-system"),
  selector: { istio: "eastwest" },
  servers: [{ hosts: ["*.local"], port: { name: "tls", number: 15443, protocol: "TLS" }, tlsMode }]
})

describe("clusterNames", () => {
  const eastWest = proxy({ labels: { istio: "eastwest" }, namespace: "istio-system", type: "router" })

  it("has subsets of the rules that hold for the proxy", () => {
    const mesh = new PolicyFixture()
      .serve(tax, entryService({ resolution: "dnsLB" }))
      .apply("DestinationRule", rule("shop", tax.hostname, "v1"))
    assert.deepEqual(mesh.queries.clusterNames(untracked, mesh.view(client)), [
      "outbound|80|v1|tax.finance.svc.cluster.local",
      "outbound|80||tax.finance.svc.cluster.local"
    ])
    assert.lengthOf(mesh.queries.clusterNames(untracked, mesh.view(proxy({ namespace: "web" }))), 1)
  })

  it("has the form for TLS server names on gateways that a Gateway makes forward by them", () => {
    const mesh = new PolicyFixture().serve(tax).apply("Gateway", gateway("SIMPLE"))
    const names = (by: Proxy) => mesh.queries.clusterNames(untracked, mesh.view(by))
    assert.lengthOf(names(eastWest), 1)
    mesh.apply("Gateway", gateway("AUTO_PASSTHROUGH"))
    assert.deepEqual(names(eastWest), [
      "outbound_.80_._.tax.finance.svc.cluster.local",
      "outbound|80||tax.finance.svc.cluster.local"
    ])
    assert.lengthOf(names(proxy({ ...eastWest, labels: {} })), 1)
    assert.lengthOf(names(proxy({ labels: { istio: "eastwest" } })), 1)
  })
})

describe("reads", () => {
  it("declare all that the queries read, so that a derivation may ask them", () => {
    const mesh = new PolicyFixture()
      .serve(reviews, tax)
      .apply("DestinationRule", rule("shop", tax.hostname, "v1"))
    const { queries } = mesh
    const proxies = mesh.graph.source<Proxy>("proxies")
    const answers = mesh.graph.map<Proxy, string>(
      "answers",
      proxies,
      (_, by, read) => {
        const view = queries.viewOf(read, by)
        const perService = view.scope.services.map((of) => [
          queries.accounts(read, of),
          queries.addresses(read, view, of),
          queries.aliases(read, view, of)
        ])
        const mode = queries.peerAuthentication(read, { labels: {}, namespace: "shop" }, 80)
        return JSON.stringify([queries.clusterNames(read, view), perService, mode, queries.mesh(read)])
      },
      { reads: queries.reads }
    )
    proxies.set("client", client)
    const before = answers.get("client")
    assert.include(before, "outbound|80|v1|tax")
    mesh.config.DestinationRule.replace([])
    assert.notInclude(answers.get("client"), "outbound|80|v1|tax")
    mesh.apply("Sidecar", sidecar("shop", "./*"))
    assert.notInclude(answers.get("client"), "tax.finance")
  })
})

describe("MeshPolicy.layer", () => {
  it.effect("takes its collections out of the graph when its scope ends", () =>
    Effect.gen(function* () {
      const { byHostname, config, endpoints, graph, mesh, services } = new PolicyFixture().serve(reviews)
      const discovery = {
        byHostname,
        endpoints,
        gateways: graph.source<ReadonlyArray<NetworkGateway>>("gateways"),
        reads: [],
        services,
        synced: () => true,
        targets: () => [],
        workloadLabels: () => undefined
      }
      const source = {
        clusters: graph.source<ClusterObjects>("clusters"),
        config,
        configCluster: "Kubernetes",
        synced: () => true
      }
      const nodes = graph.sizes().nodes
      const inputs = Layer.mergeAll(
        Layer.succeed(DiscoveryGraph, graph),
        Layer.succeed(ServiceDiscovery, discovery),
        Layer.succeed(ObjectSource, source),
        Layer.succeed(MeshConfig, mesh)
      )
      const seenThere = yield* MeshPolicy.use((policy) =>
        Effect.sync(() => policy.viewOf(untracked, client).scope.services.length)
      ).pipe(Effect.provide(MeshPolicy.layer), Effect.provide(inputs))
      assert.strictEqual(seenThere, 1)
      assert.strictEqual(graph.sizes().nodes, nodes)
    })
  )
})
