import { assert, describe, it } from "@effect/vitest"
import type { ProxyType, Resolution, Service, TrafficPolicy } from "@istiod-lite/model"
import { destinationRule, service, subset } from "@istiod-lite/model/testing"
import { clustersOfService } from "./cluster-names.ts"
import { noTrafficPolicy } from "./traffic-policy.ts"

const passthrough: TrafficPolicy = { ...noTrafficPolicy, hasLoadBalancer: true, passthrough: true }

const merged = (trafficPolicy: TrafficPolicy | undefined, ofSubset?: TrafficPolicy) => {
  const subsets = [subset("v1", { trafficPolicy: ofSubset }), subset("v2")]
  const rule = destinationRule({ subsets, trafficPolicy })
  return { from: [rule.meta], rule }
}

const of = (fields: Partial<Service>): Service => service({ hostname: "a.b", ...fields })

describe("clustersOfService", () => {
  it.each([
    ["clientSideLB", "sidecar router grpc plain"],
    ["passthrough", "router grpc plain"],
    ["dnsLB", "grpc"],
    ["dnsRoundRobinLB", "grpc"],
    ["dynamicDNS", "sidecar router grpc plain"],
    ["alias", ""]
  ] as const)("of %s gives EDS to: %s", (resolution: Resolution, types) => {
    const given = (["sidecar", "router", "grpc", "plain"] as const).filter(
      (type: ProxyType) => clustersOfService(of({ resolution }), type, undefined, false).length > 0
    )
    assert.strictEqual(given.join(" "), types)
  })

  it("gives a wildcard host that is resolved per request no endpoints", () => {
    assert.deepEqual(
      clustersOfService(of({ hostname: "*.b", resolution: "dynamicDNS" }), "sidecar", undefined, false),
      []
    )
  })

  it("names each port but UDP, and each subset", () => {
    const ports = [
      { name: "http", number: 80, protocol: "HTTP" },
      { name: "dns", number: 53, protocol: "UDP" }
    ] as const
    assert.deepEqual(clustersOfService(of({ ports }), "sidecar", merged(undefined), false), [
      "outbound|80||a.b",
      "outbound|80|v1|a.b",
      "outbound|80|v2|a.b"
    ])
  })

  it("names both forms for a gateway that forwards by server name, except of external services", () => {
    assert.deepEqual(clustersOfService(of({}), "router", undefined, true), [
      "outbound|80||a.b",
      "outbound_.80_._.a.b"
    ])
    assert.lengthOf(clustersOfService(of({ meshExternal: true }), "router", undefined, true), 1)
  })

  it("leaves out what a rule passes through", () => {
    assert.deepEqual(clustersOfService(of({}), "sidecar", merged(passthrough), false), [])
    assert.deepEqual(clustersOfService(of({}), "sidecar", merged(undefined, passthrough), false), [
      "outbound|80||a.b",
      "outbound|80|v2|a.b"
    ])
    assert.lengthOf(clustersOfService(of({}), "grpc", merged(passthrough), false), 3)
  })
})
