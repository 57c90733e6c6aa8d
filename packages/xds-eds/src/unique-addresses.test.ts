import { assert, describe, it } from "@effect/vitest"
import { type Endpoint, type EndpointOrigin, noLocality } from "@istiod-lite/model"
import { endpoint } from "@istiod-lite/model/testing"
import { assignEndpoint, type AssignedLocality, isGateway } from "./assigned-endpoint.ts"
import { endpointView } from "./testing/inputs.ts"
import { uniqueAddresses } from "./unique-addresses.ts"

const of = (name: string, fields: Partial<Endpoint> = {}, origin: Partial<EndpointOrigin> = {}): Endpoint =>
  endpoint({
    ...fields,
    origin: { kind: "Pod", name, namespace: "shop", creationTime: "2026-01-01T00:00:00Z", ...origin }
  })

const locality = (region: string, ...endpoints: ReadonlyArray<Endpoint>): AssignedLocality => ({
  locality: { ...noLocality, region },
  priority: 0,
  weight: endpoints.length,
  endpoints: endpoints.map((one) => assignEndpoint(one, endpointView()))
})

const outcome = (...localities: ReadonlyArray<AssignedLocality>) => {
  const { excluded, localities: kept } = uniqueAddresses(localities)
  return {
    kept: kept.map((one) => [
      one.locality.region,
      one.weight,
      ...one.endpoints.map(({ source }) => (isGateway(source) ? source.network : source.origin.name))
    ]),
    lost: excluded.map(({ endpoint: { origin }, reason }) => [
      origin.name,
      reason._tag === "AddressTaken" ? reason.winner.origin.name : reason._tag
    ])
  }
}

const workloadEntry = { kind: "WorkloadEntry" } as const

describe("uniqueAddresses", () => {
  it("leaves what is unique as it is: port, unix path and network family tell addresses apart", () => {
    const localities = [
      locality("eu", of("a"), of("b", { port: 9090 }), of("c", { addresses: ["fd00::1"] })),
      locality("us", of("d", { addresses: ["/x"], port: 0 }), of("e", { addresses: ["/x"], port: 0 }))
    ]
    assert.strictEqual(uniqueAddresses(localities).localities, localities)
  })

  it.each([
    ["usable before not", of("a", { health: "UNHEALTHY" }), of("b", { health: "UNKNOWN" }, workloadEntry)],
    [
      "pod before WorkloadEntry",
      of("a", {}, { ...workloadEntry, creationTime: "2026-02-01T00:00:00Z" }),
      of("b")
    ],
    ["later creation", of("a"), of("b", {}, { creationTime: "2026-01-01T00:00:01Z" })],
    ["later name within a second", of("a"), of("b")],
    ["the first of a list", of("b", {}, { kind: "Inline" }), of("b", {}, { kind: "Inline" })]
  ] as const)("keeps one: %s", (_, one, other) => {
    const first = outcome(locality("eu", one, other))
    assert.deepStrictEqual(first.kept, [["eu", 1, "b"]])
    assert.lengthOf(first.lost, 1)
    assert.deepStrictEqual(outcome(locality("eu", other, one)).kept, first.kept)
  })

  it("names the winner, also over localities, and drops a locality that has nothing left", () => {
    const { kept, lost } = outcome(locality("eu", of("a")), locality("us", of("b"), of("c", { port: 1 })))
    assert.deepStrictEqual(kept, [["us", 2, "b", "c"]])
    assert.deepStrictEqual(lost, [["a", "b"]])
  })

  it("counts the winner's own weight", () => {
    const { localities } = uniqueAddresses([locality("eu", of("a", { weight: 5 }), of("b", { weight: 3 }))])
    assert.strictEqual(localities[0]?.weight, 3)
  })

  it("knows an IPv6 address in any of its texts", () => {
    const { kept } = outcome(
      locality("eu", of("a", { addresses: ["fd00::1"] }), of("b", { addresses: ["fd00:0:0::0001"] }))
    )
    assert.deepStrictEqual(kept, [["eu", 1, "b"]])
  })

  it("keeps one of the same endpoint listed twice", () => {
    const same = of("a")
    const { kept, lost } = outcome(locality("eu", same, same))
    assert.deepStrictEqual(kept, [["eu", 1, "a"]])
    assert.deepStrictEqual(lost, [["a", "a"]])
  })
})
