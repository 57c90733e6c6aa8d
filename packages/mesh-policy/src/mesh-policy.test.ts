import { assert, describe, it } from "@effect/vitest"
import { untracked } from "@istiod-lite/collections"
import {
  type ClusterObjects,
  DiscoveryGraph,
  MeshConfig,
  type NetworkGateway,
  ObjectSource,
  type Proxy,
  type Service,
  ServiceDiscovery
} from "@istiod-lite/model"
import {
  destinationRule,
  entryService,
  gateway,
  peerAuthentication,
  proxy,
  service,
  sidecar,
  subset
} from "@istiod-lite/model/testing"
import { Effect, Layer } from "effect"
import { PolicyFixture, serviceEntryKey } from "../testing.ts"
import { MeshPolicy } from "./mesh-policy.ts"

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

describe("peerAuthentication", () => {
  it("finds the policies of the workload's and the root namespace", () => {
    const mesh = new PolicyFixture()
    const modeIn = (namespace: string) =>
      mesh.queries.peerAuthentication(untracked, { namespace, labels: { app: "tax" } }, 80)
    assert.strictEqual(modeIn("finance"), "PERMISSIVE")
    mesh.apply(
      "PeerAuthentication",
      peerAuthentication({ meta: { namespace: "istio-system" }, mtls: "STRICT" })
    )
    assert.strictEqual(modeIn("istio-system"), "STRICT")
    mesh.apply(
      "PeerAuthentication",
      peerAuthentication({
        meta: { namespace: "finance" },
        selector: { app: "tax" },
        portLevelMtls: { 80: "DISABLE" }
      })
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
    mesh.apply("Sidecar", sidecar(["finance/*"]))
    assert.deepEqual(aliasNames(mesh, tax), ["duty", "levy"])
    mesh.apply("Sidecar", sidecar([`*/${tax.hostname}`, "*/levy.shop.svc.cluster.local"]))
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

describe("clusterNames", () => {
  const eastWest = proxy({ labels: { istio: "eastwest" }, namespace: "istio-system", type: "router" })

  it("has subsets of the rules that hold for the proxy", () => {
    const mesh = new PolicyFixture()
      .serve(tax, entryService({ resolution: "dnsLB" }))
      .apply("DestinationRule", destinationRule({ host: tax.hostname, subsets: [subset("v1")] }))
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
      .apply("DestinationRule", destinationRule({ host: tax.hostname, subsets: [subset("v1")] }))
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
    mesh.apply("Sidecar", sidecar(["./*"]))
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
      ).pipe(Effect.provide(MeshPolicy.layer.pipe(Layer.provide(inputs))))
      assert.strictEqual(seenThere, 1)
      assert.strictEqual(graph.sizes().nodes, nodes)
    })
  )
})
