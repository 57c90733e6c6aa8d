import { assert, describe, it } from "@effect/vitest"
import type {
  Endpoint,
  EndpointGroup,
  KnownProxy,
  PushRequest,
  Service,
  ServiceEndpoints,
  WorkloadInstance
} from "@istiod-lite/model"
import { destinationRule, endpoint, service } from "@istiod-lite/model/testing"
import type { PlanContext } from "./plan-context.ts"
import { type DiscoveryChanges, planPush } from "./push-planning.ts"

const cart: Service = service({
  hostname: "cart.shop.svc.cluster.local",
  namespace: "shop",
  ports: [{ name: "http", number: 80, protocol: "HTTP" }]
})
const key = "shop/cart.shop.svc.cluster.local"

/** A plan for changes that leave `services` behind. */
const plan = (
  changes: Partial<DiscoveryChanges>,
  services: ReadonlyArray<Service> = [cart],
  context: Partial<PlanContext> = {}
): PushRequest | undefined =>
  planPush(
    {
      services: [],
      declared: [],
      endpoints: [],
      workloads: [],
      proxies: [],
      destinationRules: [],
      everywhere: new Map(),
      ...changes
    },
    {
      servicesOfHost: (hostname) => services.filter((one) => one.hostname === hostname),
      isRoutedTo: () => false,
      domainSuffix: "cluster.local",
      sendUnhealthyEndpoints: true,
      ...context
    },
    7
  )

const http = (fields: Partial<Endpoint> = {}): Endpoint => endpoint({ servicePortName: "http", ...fields })
const group = (endpoints: ReadonlyArray<Endpoint>, fields: Partial<EndpointGroup> = {}): EndpointGroup => ({
  hostname: cart.hostname,
  namespace: cart.namespace,
  shard: "Kubernetes/c1",
  endpoints,
  slice: { name: "cart-1", resourceVersion: "1", creationTime: "" },
  ...fields
})
const over = (...groups: ReadonlyArray<EndpointGroup>): ServiceEndpoints => ({
  hostname: cart.hostname,
  namespace: cart.namespace,
  groups,
  serviceAccounts: []
})
const endpointsChange = (old: ServiceEndpoints | undefined, now: ServiceEndpoints | undefined) => ({
  endpoints: [{ key, old, now }]
})
const first = http({ addresses: ["10.0.0.1"] })
const second = http({ addresses: ["10.0.0.2"] })

describe("planPush for services", () => {
  it("plans nothing when nothing that clients see has changed", () => {
    assert.isUndefined(plan({}))
  })

  it("names a service that is new or gone, with its reason and the time", () => {
    const request = plan({ services: [{ key: "k", old: undefined, now: cart }] })
    assert.deepEqual(request, {
      full: false,
      services: new Set([key]),
      endpoints: new Set<string>(),
      removals: new Set<string>(),
      proxies: new Set<string>(),
      reasons: new Map([["service", 1]]),
      since: 7
    })
    assert.deepEqual(
      plan({ services: [{ key: "k", old: cart, now: undefined }] }, [])?.services,
      new Set([key])
    )
  })

  it("names both hosts of a definition that moves to another", () => {
    const now = { ...cart, hostname: "basket.shop.svc.cluster.local" }
    assert.deepEqual(
      plan({ services: [{ key: "k", old: cart, now }] })?.services,
      new Set([key, "shop/basket.shop.svc.cluster.local"])
    )
  })

  it("names a definition that loses the merge, if its workloads have other targets by it", () => {
    const declared = (now: Service) => [{ key: "Kubernetes/c2|cart", old: cart, now }]
    const request = plan({ declared: declared({ ...cart, labelSelectors: { app: "cart" } }) })
    assert.deepEqual(request?.services, new Set([key]))
    assert.isUndefined(plan({ declared: declared({ ...cart, labels: { team: "cart" } }) }))
  })

  it("names no service that nobody sees, but one that begins or ceases to be seen (S-19)", () => {
    const hidden = service({ ...cart, exportTo: ["~"] })
    assert.isUndefined(
      plan({ services: [{ key: "k", old: hidden, now: { ...hidden, labels: { a: "b" } } }] })
    )
    assert.isUndefined(plan({ services: [{ key: "k", old: undefined, now: hidden }] }))
    assert.isUndefined(plan(endpointsChange(over(), over(group([first]))), [hidden]))
    assert.isDefined(plan({ services: [{ key: "k", old: hidden, now: cart }] }))
    assert.isDefined(plan({ services: [{ key: "k", old: cart, now: hidden }] }))
  })

  it("names a service that is exported to nobody, if a route leads to it", () => {
    const hidden = service({ ...cart, exportTo: ["~"] })
    const routed = { isRoutedTo: (hostname: string) => hostname === cart.hostname }
    const services = [{ key: "k", old: undefined, now: hidden }]
    assert.deepEqual(plan({ services }, [hidden], routed)?.services, new Set([key]))
    const change = endpointsChange(over(), over(group([first])))
    assert.deepEqual(plan(change, [hidden], routed)?.endpoints, new Set([key]))
  })
})

describe("planPush for endpoints", () => {
  it("names the service whose endpoints changed, and nothing else", () => {
    const request = plan(endpointsChange(over(group([first])), over(group([first, second]))))
    assert.deepEqual(request?.endpoints, new Set([key]))
    assert.deepEqual(request?.services, new Set())
    assert.deepEqual(request?.proxies, new Set())
    assert.deepEqual(request?.reasons, new Map([["endpoint", 1]]))
  })

  it("marks the service as one that lost an endpoint which clients may use (D-2)", () => {
    const change = (old: ServiceEndpoints, now: ServiceEndpoints) => plan(endpointsChange(old, now))?.removals
    const both = over(group([first, second]))
    assert.deepEqual(change(both, over(group([second]))), new Set([key]))
    for (const health of ["UNHEALTHY", "DRAINING", "TERMINATING"] as const) {
      assert.deepEqual(change(both, over(group([first, { ...second, health }]))), new Set([key]))
    }
    const headless: Service = {
      ...cart,
      resolution: "passthrough",
      ports: [{ ...cart.ports[0]!, protocol: "TCP" }]
    }
    const lost = plan(endpointsChange(both, over(group([first]))), [headless])
    assert.deepEqual(lost?.services, new Set([key]))
    assert.deepEqual(lost?.removals, new Set([key]))
  })

  it("marks no removal where endpoints are added, come back, move, or were of no use", () => {
    const changes: ReadonlyArray<readonly [ServiceEndpoints, ServiceEndpoints]> = [
      [over(group([first])), over(group([first, second]))],
      [over(group([second])), over(group([first, second]))],
      [over(group([{ ...first, health: "UNHEALTHY" }])), over(group([first]))],
      [over(group([first, { ...second, health: "UNHEALTHY" }])), over(group([first]))],
      [over(group([first, second])), over(group([first]), group([{ ...second, labels: { v: "2" } }]))],
      [over(group([first, second])), over(group([{ ...second, weight: 7 }, first]))]
    ]
    for (const [old, now] of changes) {
      const request = plan(endpointsChange(old, now))
      assert.isDefined(request)
      assert.deepEqual(request?.removals, new Set())
    }
  })

  it("plans nothing for an endpoint that moves to another slice", () => {
    const other = group([first], { slice: { name: "cart-2", resourceVersion: "2", creationTime: "" } })
    assert.isUndefined(plan(endpointsChange(over(group([first])), over(other))))
  })

  it("names no service for ports that no definition of it has, and for terminating endpoints", () => {
    const others = [http({ servicePortName: "admin" }), http({ health: "TERMINATING" })]
    const request = plan(endpointsChange(over(group([first])), over(group([first, ...others]))))
    assert.deepEqual(request?.endpoints, new Set())
    assert.deepEqual(request?.services, new Set())
  })

  it("names no service for a new unhealthy endpoint, only where unhealthy ones are not sent (S-61)", () => {
    const unhealthy = http({ addresses: ["10.0.0.9"], health: "UNHEALTHY" })
    const change = endpointsChange(over(group([first])), over(group([first, unhealthy])))
    const withheld = { sendUnhealthyEndpoints: false }
    assert.deepEqual(plan(change, [cart], withheld)?.endpoints, new Set())
    const near: Service = { ...cart, trafficDistribution: "PreferSameZone" }
    const falls = endpointsChange(over(group([first])), over(group([{ ...first, health: "UNHEALTHY" }])))
    assert.deepEqual(plan(change)?.endpoints, new Set([key]))
    assert.deepEqual(plan(change, [near], withheld)?.endpoints, new Set([key]))
    assert.deepEqual(plan(falls, [cart], withheld)?.endpoints, new Set([key]))
  })

  it("always pushes a shard that lost its last endpoint (S-61)", () => {
    const unhealthy = group([http({ health: "UNHEALTHY" })], { shard: "Kubernetes/c2" })
    const change = endpointsChange(over(group([first]), unhealthy), over(group([first])))
    assert.deepEqual(plan(change, [cart], { sendUnhealthyEndpoints: false })?.endpoints, new Set([key]))
  })

  it("pushes the service when the accepted accounts change (S-61)", () => {
    const old = { ...over(group([first])), serviceAccounts: ["spiffe://a"] }
    const request = plan(endpointsChange(old, { ...old, serviceAccounts: ["spiffe://a", "spiffe://b"] }))
    assert.deepEqual(request?.services, new Set([key]))
    assert.deepEqual(request?.reasons, new Map([["account", 1]]))
  })

  it("pushes a headless service by name only if a port is not HTTP (S-19)", () => {
    const change = endpointsChange(over(group([first])), over(group([first, second])))
    const headless: Service = { ...cart, provider: "Kubernetes", resolution: "passthrough" }
    const tcp: Service = {
      ...headless,
      ports: [...cart.ports, { name: "db", number: 9042, protocol: "TCP" }]
    }
    assert.deepEqual(plan(change, [headless])?.endpoints, new Set([key]))
    assert.deepEqual(plan(change, [headless])?.services, new Set())
    assert.deepEqual(plan(change, [tcp])?.services, new Set([key]))
    assert.deepEqual(plan(change, [tcp])?.reasons, new Map([["headless endpoint", 1]]))
  })

  it("leaves endpoints that go with their service to the service", () => {
    assert.isUndefined(plan(endpointsChange(over(group([first])), undefined), []))
  })
})

const workload = (kind: WorkloadInstance["kind"], fields: Partial<Endpoint>): WorkloadInstance => {
  const { origin, ...facts } = endpoint(fields)
  return {
    kind,
    name: "cart-1",
    namespace: "shop",
    cluster: "Kubernetes",
    facts,
    health: "UNKNOWN",
    sendUnhealthy: false,
    discoverability: "",
    ports: {},
    addressKind: "ip",
    origin
  }
}

describe("planPush for proxies", () => {
  const pod: KnownProxy = {
    name: "cart-1",
    namespace: "shop",
    ips: ["10.0.0.1"],
    labels: { app: "cart" },
    network: "",
    locality: "",
    ports: []
  }

  it("names the proxy of a pod whose labels, place or ports changed", () => {
    for (const now of [
      { ...pod, labels: {} },
      { ...pod, locality: "eu/eu-1/" },
      { ...pod, ips: ["10.0.0.2"] }
    ]) {
      const request = plan({ proxies: [{ key: "p", old: pod, now }] })
      assert.deepEqual(request?.proxies, new Set(["cart-1.shop"]))
      assert.deepEqual(request?.reasons, new Map([["proxy", 1]]))
    }
  })

  it("names no proxy whose registry was replaced by one that tells the same", () => {
    assert.isUndefined(plan({ proxies: [{ key: "p", old: pod, now: structuredClone(pod) }] }))
  })

  it("names the proxies at both addresses of a machine that moves (D-5)", () => {
    const old = workload("WorkloadEntry", { addresses: ["192.0.2.1"] })
    const now = workload("WorkloadEntry", { addresses: ["192.0.2.2"] })
    assert.deepEqual(
      plan({ workloads: [{ key: "w", old, now }] })?.proxies,
      new Set(["192.0.2.1", "192.0.2.2"])
    )
  })

  it("names the proxy at an address of a slice only where no client is told of it", () => {
    const hidden = http({ addresses: ["10.0.0.9"], health: "TERMINATING" })
    const request = plan(endpointsChange(over(group([first])), over(group([first, hidden]))))
    assert.deepEqual(request?.proxies, new Set(["10.0.0.9"]))
    assert.deepEqual(request?.endpoints, new Set())
  })

  it("leaves the readiness of pods to their services", () => {
    assert.isUndefined(plan({ workloads: [{ key: "w", old: workload("Pod", {}), now: undefined }] }))
  })

  it("names the proxies beside the instances of a ServiceEntry that differ", () => {
    const { slice: _, ...entry } = group([first, second])
    const { slice: __, ...relabelled } = group([first, { ...second, labels: { version: "v2" } }])
    assert.deepEqual(plan(endpointsChange(over(entry), over(relabelled)))?.proxies, new Set(["10.0.0.2"]))
  })
})

const rule = (host: string) => [{ key: "r", old: undefined, now: destinationRule({ host }) }]

describe("planPush for policies", () => {
  it("names the services of a DestinationRule's host", () => {
    const request = plan({ destinationRules: rule("cart") })
    assert.deepEqual(request?.services, new Set([key]))
    assert.isFalse(request?.full)
    assert.isUndefined(plan({ destinationRules: rule("unknown") }))
  })

  it("asks for everything where a rule is for a wildcard host", () => {
    assert.isTrue(plan({ destinationRules: rule("*.shop.svc.cluster.local") })?.full)
  })

  it("asks for everything when another policy, a network or the mesh configuration changed", () => {
    const everywhere = new Map([["Sidecar", 2]])
    const request = plan({ everywhere })
    assert.isTrue(request?.full)
    assert.deepEqual(request?.reasons, everywhere)
  })
})
