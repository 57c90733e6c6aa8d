import { assert, describe, it } from "@effect/vitest"
import type { Service, ServicePort, SidecarEgress } from "@istiod-lite/model"
import { entryService, service } from "@istiod-lite/model/testing"
import type { MeshRoutes } from "./mesh-routes.ts"
import type { ScopeInputs } from "./imported-services.ts"
import { computeSidecarScope } from "./sidecar-scope.ts"

const port = (number: number): ServicePort => ({ name: `p${number}`, number, protocol: "TCP" })

const routes = (destinations: MeshRoutes["destinations"], fields: Partial<MeshRoutes> = {}): MeshRoutes => ({
  namespace: "shop",
  name: "routes",
  creationTime: "2026-01-01T00:00:00Z",
  hosts: ["reviews.shop.svc.cluster.local"],
  audience: ["*"],
  destinations,
  ...fields
})

const egress = (...hosts: ReadonlyArray<string>): SidecarEgress => ({ hosts, port: undefined })

const onPort = (number: number, protocol: string, ...hosts: ReadonlyArray<string>): SidecarEgress => ({
  hosts,
  port: { name: "", number, protocol }
})

const kube = (name: string, namespace: string, fields: Partial<Service> = {}): Service =>
  service({ hostname: `${name}.${namespace}.svc.cluster.local`, namespace, ...fields })

const reviews = kube("reviews", "shop")
const cart = kube("cart", "shop", { ports: [port(80), port(443)] })
const tax = kube("tax", "finance")
const api = entryService({ namespace: "infra" })

/** The scope of `shop`, in which all given services are visible. */
const scope = (services: ReadonlyArray<Service>, inputs: Partial<ScopeInputs> = {}) =>
  computeSidecarScope({
    key: "shop|",
    namespace: "shop",
    egress: [],
    visible: services,
    isVisible: (of) => services.includes(of),
    servicesOf: (hostname) => services.filter((of) => of.hostname === hostname),
    routes: [],
    ...inputs
  })

const hosts = (services: ReadonlyArray<Service>, inputs: Partial<ScopeInputs> = {}) =>
  scope(services, inputs).services.map(({ hostname }) => hostname.split(".")[0])

const all = [tax, reviews, cart, api]

describe("computeSidecarScope hosts", () => {
  it("imports everything without egress, sorted by hostname", () => {
    assert.deepEqual(hosts(all), ["api", "cart", "reviews", "tax"])
  })

  it.each([
    [["./*"], ["cart", "reviews"]],
    [
      ["*/*.example.com", "finance/*"],
      ["api", "tax"]
    ],
    [["finance/reviews.shop.svc.cluster.local"], []],
    [["shop/reviews.shop.svc.cluster.local"], ["reviews"]],
    [["*/tax.finance.svc.cluster.local"], ["tax"]],
    [["./*", "~shop/cart.shop.svc.cluster.local"], ["reviews"]],
    [["*/*", "~/*.cluster.local"], ["api"]],
    [
      ["*/*", "~./*"],
      ["api", "tax"]
    ],
    [["~/*"], []],
    [
      ["nonsense", "a/b/c", "./*"],
      ["cart", "reviews"]
    ]
  ] as const)("of %j imports %j", (patterns, names) => {
    assert.deepEqual(hosts(all, { egress: [egress(...patterns)] }), [...names])
  })

  it("narrows to the ports of listeners and unites them", () => {
    const listeners = [onPort(80, "HTTP", "./*"), onPort(443, "TLS", "./cart.shop.svc.cluster.local")]
    const { byHostname } = scope(all, { egress: listeners })
    assert.deepEqual([...byHostname.keys()], [cart.hostname, reviews.hostname])
    assert.deepEqual(byHostname.get(cart.hostname)?.ports, [port(80), port(443)])
    const one = scope(all, { egress: listeners.slice(1) })
    assert.deepEqual(one.services, [{ ...cart, ports: [port(443)] }])
  })

  it("takes the port of an HTTP proxy and port 0 for all ports", () => {
    for (const listener of [onPort(15080, "HTTP_PROXY", "*/*"), onPort(0, "HTTP", "*/*")]) {
      assert.deepEqual(hosts(all, { egress: [listener] }), ["api", "cart", "reviews", "tax"])
    }
  })
})

describe("computeSidecarScope with one host in several definitions", () => {
  const host = "api.example.com"
  const of = (namespace: string, fields: Partial<Service> = {}) =>
    entryService({ hostname: host, namespace, objectName: `of-${namespace}`, ...fields })
  const winner = (services: ReadonlyArray<Service>, inputs: Partial<ScopeInputs> = {}) =>
    scope(services, inputs).byHostname.get(host)

  it("prefers the own namespace, even to Kubernetes", () => {
    const own = of("shop")
    assert.strictEqual(winner([of("a"), own, of("b")]), own)
    assert.strictEqual(winner([service({ hostname: host, namespace: "a" }), own]), own)
  })

  it("prefers Kubernetes, then the first", () => {
    const inKube = service({ hostname: host, namespace: "b" })
    assert.strictEqual(winner([of("a"), inKube, of("c")]), inKube)
    assert.strictEqual(winner([of("c"), of("a")])?.namespace, "c")
    const both = [of("b"), inKube]
    assert.strictEqual(winner(both), inKube)
    assert.strictEqual(winner(both.toReversed()), inKube)
  })

  it("adds the ports of later definitions in the same namespace", () => {
    const later = of("a", { ports: [port(9)] })
    assert.deepEqual(
      winner([of("a"), later])?.ports.map(({ number }) => number),
      [80, 9]
    )
    assert.deepEqual(
      winner([of("a"), of("b", { ports: [port(9)] })])?.ports.map(({ number }) => number),
      [80]
    )
  })

  it("adds no ports where each host is named with its namespace", () => {
    const later = of("a", { ports: [port(9)], creationTime: "2026-04-01T00:00:00Z" })
    const named = { egress: [egress(`a/${host}`)] }
    assert.deepEqual(
      winner([later, of("a")], named)?.ports.map(({ number }) => number),
      [80]
    )
  })

  it("lets an earlier listener win", () => {
    const listeners = [egress("b/*"), egress("a/*")]
    assert.strictEqual(winner([of("a"), of("b")], { egress: listeners })?.namespace, "b")
  })
})

describe("computeSidecarScope with routes", () => {
  const none = egress("shop/reviews.shop.svc.cluster.local")
  const toTax = { host: tax.hostname, port: 0 }

  it("infers the services that imported routes send to", () => {
    assert.deepEqual(hosts(all, { egress: [none], routes: [routes([toTax])] }), ["reviews", "tax"])
    const others = routes([toTax], { hosts: ["other.example.com"] })
    assert.deepEqual(hosts(all, { egress: [none], routes: [others] }), ["reviews"])
  })

  it("imports routes whose wildcard host covers an imported one", () => {
    const wild = routes([toTax], { hosts: ["*.shop.svc.cluster.local"] })
    assert.deepEqual(hosts(all, { egress: [none], routes: [wild] }), ["reviews", "tax"])
    assert.deepEqual(hosts(all, { egress: [egress("finance/*")], routes: [wild] }), ["tax"])
  })

  it("imports no routes for an excluded host", () => {
    const excluded = egress("./*", "~./reviews.shop.svc.cluster.local")
    assert.deepEqual(hosts(all, { egress: [excluded], routes: [routes([toTax])] }), ["cart"])
  })

  it("reduces inferred services to the ports of the routes, or of the listener", () => {
    const both = kube("both", "finance", { ports: [port(80), port(443), port(9)] })
    const to = (...ports: ReadonlyArray<number>) =>
      routes(ports.map((number) => ({ host: both.hostname, port: number })))
    const numbers = (inferred: MeshRoutes, listener = none) =>
      scope([...all, both], { egress: [listener], routes: [inferred] })
        .byHostname.get(both.hostname)
        ?.ports.map(({ number }) => number)
    assert.deepEqual(numbers(to(443, 80)), [80, 443])
    assert.deepEqual(numbers(to(443, 0)), [80, 443, 9])
    assert.isUndefined(numbers(to(7)))
    const listener = onPort(80, "HTTP", "shop/reviews.shop.svc.cluster.local")
    assert.deepEqual(numbers(to(443), listener), [80])
  })

  it("takes the own namespace's service whatever it exports, else a visible one, Kubernetes first", () => {
    const host = "db.example.com"
    const at = (namespace: string, fields: Partial<Service> = {}) =>
      entryService({ hostname: host, namespace, ...fields })
    const old = at("b", { creationTime: "2025-01-01T00:00:00Z" })
    const inferred = (services: ReadonlyArray<Service>, visible = services) =>
      scope([reviews], {
        egress: [none],
        isVisible: (of) => visible.includes(of),
        routes: [routes([{ host, port: 0 }])],
        servicesOf: (hostname) => [reviews, ...services].filter((of) => of.hostname === hostname)
      }).byHostname.get(host)?.namespace
    assert.strictEqual(inferred([old, at("shop")], []), "shop")
    assert.strictEqual(inferred([at("a"), old]), "b")
    assert.strictEqual(inferred([old, service({ hostname: host, namespace: "c" })]), "c")
    assert.isUndefined(inferred([old], []))
  })

  it("never replaces what is imported by name", () => {
    const host = "api.example.com"
    const mine = entryService({ hostname: host, namespace: "shop" })
    const theirs = entryService({ hostname: host, namespace: "infra" })
    const inferred = scope([reviews, mine, theirs], {
      egress: [egress(`infra/${host}`, "./reviews.shop.svc.cluster.local")],
      routes: [routes([{ host, port: 0 }])]
    })
    assert.strictEqual(inferred.byHostname.get(host)?.namespace, "infra")
  })
})
