import { assert, describe, it } from "@effect/vitest"
import { Annotation, noLabels, type ServiceEntry } from "@istiod-lite/model"
import { serviceEntry, serviceEntryPort } from "@istiod-lite/model/testing"
import { addressesOf, convertServiceEntry, takesHostnames } from "./convert-service-entry.ts"

const convert = (entry: ServiceEntry, namespaceAnnotations = noLabels) =>
  convertServiceEntry(entry, { cluster: "c1", namespaceAnnotations })

describe("addressesOf (S-30)", () => {
  it.each([
    ["none given", [], ["0.0.0.0"]],
    ["IPs of both families", ["192.0.2.1", "2001:db8::1"], ["192.0.2.1", "2001:db8::1"]],
    ["a CIDR", ["192.0.2.0/24"], ["192.0.2.0/24"]],
    [
      "a CIDR of one address, as the address",
      ["192.0.2.1/32", "2001:db8::1/128"],
      ["192.0.2.1", "2001:db8::1"]
    ],
    ["one address twice", ["192.0.2.1", "192.0.2.1/32"], ["192.0.2.1"]],
    ["something else among them", ["db.example", "192.0.2.1"], ["192.0.2.1"]],
    ["nothing but something else", ["db.example"], []]
  ])("of %s", (_, addresses, expected) => {
    assert.deepEqual(addressesOf(serviceEntry({ addresses })), expected)
  })
})

describe("convertServiceEntry", () => {
  it("gives one service per host × address, each once (S-30)", () => {
    const entry = serviceEntry({
      hosts: ["a.example", "b.example", "a.example"],
      addresses: ["192.0.2.1", "192.0.2.2"]
    })
    assert.deepEqual(
      convert(entry).map(({ defaultAddress, hostname }) => `${hostname} ${defaultAddress}`),
      ["a.example 192.0.2.1", "a.example 192.0.2.2", "b.example 192.0.2.1", "b.example 192.0.2.2"]
    )
  })

  it.each([
    ["NONE", "passthrough", false],
    ["STATIC", "clientSideLB", false],
    ["DNS", "dnsLB", true],
    ["DNS_ROUND_ROBIN", "dnsRoundRobinLB", true],
    ["DYNAMIC_DNS", "dynamicDNS", false]
  ] as const)(
    "reads resolution %s as %s; endpoints may be hostnames: %s (S-31, S-32)",
    (given, expected, hostnames) => {
      assert.strictEqual(convert(serviceEntry({ resolution: given }))[0]?.resolution, expected)
      assert.strictEqual(takesHostnames(given), hostnames)
    }
  )

  it.each([
    ["NONE", { 443: 8443 }],
    ["STATIC", {}]
  ] as const)("leads ports elsewhere for resolution %s: %j (S-31)", (resolution, expected) => {
    const ports = [
      serviceEntryPort({ number: 443, targetPort: 8443 }),
      serviceEntryPort({ number: 80, name: "web" })
    ]
    assert.deepEqual(convert(serviceEntry({ resolution, ports }))[0]?.passthroughTargetPorts, expected)
  })

  it("takes the protocol from the field, never from the name (S-4)", () => {
    const ports = [
      serviceEntryPort({ name: "grpc-shop", protocol: "HTTP2" }),
      serviceEntryPort({ name: "http", protocol: "" })
    ]
    assert.deepEqual(
      convert(serviceEntry({ ports }))[0]?.ports.map(({ protocol }) => protocol),
      ["HTTP2", "UnsupportedProtocol"]
    )
  })

  it("says who it is and who may be it (S-31)", () => {
    const [service] = convert(
      serviceEntry({ subjectAltNames: ["spiffe://x/ns/a/sa/b"], meta: { name: "erp" } })
    )
    assert.deepInclude(service, {
      provider: "External",
      cluster: "c1",
      name: "erp.example",
      objectName: "erp",
      meshExternal: true,
      serviceAccounts: ["spiffe://x/ns/a/sa/b"]
    })
  })

  it.each([
    ["its own annotation", { [Annotation.trafficDistribution]: "PreferSameNode" }, "PreferSameNode"],
    ["its namespace's", noLabels, "PreferSameZone"]
  ])("takes its traffic distribution from %s (S-12)", (_, annotations, expected) => {
    const ofNamespace = { [Annotation.trafficDistribution]: "PreferClose" }
    assert.strictEqual(
      convert(serviceEntry({ meta: { annotations } }), ofNamespace)[0]?.trafficDistribution,
      expected
    )
  })
})
