import { assert, describe, it } from "@effect/vitest"
import { noTrafficPolicy } from "@istiod-lite/mesh-policy"
import { defaultMeshConfig, type Endpoint, parseLocality } from "@istiod-lite/model"
import { endpoint, endpointGroup, service } from "@istiod-lite/model/testing"
import * as fc from "fast-check"
import { isGateway } from "./assigned-endpoint.ts"
import { buildAssignment } from "./build-assignment.ts"
import { indexGateways } from "./network-gateways.ts"
import type { AssignmentInput } from "./plan-assignment.ts"
import { assignmentInput } from "./testing/arbitrary.ts"
import { destinationRule, gateway, groups, input, reviews, view } from "./testing/inputs.ts"

const slice = (...list: ReadonlyArray<Partial<Endpoint>>) =>
  groups(
    endpointGroup({
      endpoints: list.map((fields, i) => endpoint({ addresses: [`10.0.0.${i + 1}`], ...fields }))
    })
  )

/** Each locality as `priority locality weight: addresses`. */
const summary = (fields: Partial<AssignmentInput>): ReadonlyArray<string> =>
  buildAssignment(input(fields)).localities.map(({ endpoints, locality, priority, weight }) => {
    const addresses = endpoints.map(({ address }) =>
      address.kind === "socket" ? address.address : address.kind
    )
    return `${priority} ${Object.values(locality).join("/")} ${weight}: ${addresses.join()}`
  })

const emptyReason = (fields: Partial<AssignmentInput>) => buildAssignment(input(fields)).empty?._tag

const cluster = { direction: "outbound", port: 80, subset: "", hostname: reviews, sniDnat: false } as const

describe("buildAssignment", () => {
  it("is empty, with the reason, for what has no endpoints to be told", () => {
    assert.strictEqual(emptyReason({ cluster: undefined }), "UnknownName")
    assert.strictEqual(emptyReason({ service: undefined }), "UnknownService")
    assert.strictEqual(emptyReason({ cluster: { ...cluster, port: 81 } }), "UnknownPort")
    for (const resolution of ["dnsLB", "dnsRoundRobinLB", "dynamicDNS"] as const) {
      assert.strictEqual(
        emptyReason({ service: service({ resolution }), endpoints: slice({}) }),
        "ResolvedByDns"
      )
    }
    assert.strictEqual(emptyReason({ endpoints: undefined }), "NoEndpoints")
    assert.strictEqual(emptyReason({ endpoints: slice() }), "NoEndpoints")
    assert.strictEqual(emptyReason({ endpoints: slice({ health: "TERMINATING" }) }), "AllExcluded")
    assert.strictEqual(emptyReason({ endpoints: slice({}) }), undefined)
    assert.strictEqual(
      emptyReason({ service: service({ resolution: "passthrough" }), endpoints: slice({}) }),
      undefined
    )
  })

  it("groups by locality, sorted; texts that are one locality on the wire are one", () => {
    const endpoints = slice(
      { locality: "us" },
      { locality: "eu/eu-1" },
      { locality: "eu/eu-1/", weight: 4 },
      {}
    )
    assert.deepStrictEqual(summary({ endpoints }), [
      "0 // 1: 10.0.0.4",
      "0 eu/eu-1/ 5: 10.0.0.2,10.0.0.3",
      "0 us// 1: 10.0.0.1"
    ])
  })

  it("keeps the sum of weights within 32 bits", () => {
    const heavy = { weight: 2 ** 32 - 1 }
    assert.deepStrictEqual(summary({ endpoints: slice(heavy, heavy) }), [
      `0 // ${2 ** 32 - 1}: 10.0.0.1,10.0.0.2`
    ])
  })

  it("takes a subset's labels, and the whole service for a subset that says nothing", () => {
    const rule = destinationRule(
      {},
      {
        subsets: [
          { name: "v1", labels: { version: "v1" }, trafficPolicy: undefined },
          { name: "all", labels: {}, trafficPolicy: undefined }
        ]
      }
    )
    const endpoints = slice({ labels: { version: "v1" } }, { labels: { version: "v2" } })
    const of = (subset: string) => summary({ rule, endpoints, cluster: { ...cluster, subset } })
    assert.deepStrictEqual(of("v1"), ["0 // 1: 10.0.0.1"])
    assert.deepStrictEqual(of("all"), ["0 // 2: 10.0.0.1,10.0.0.2"])
    assert.deepStrictEqual(of("other"), ["0 // 2: 10.0.0.1,10.0.0.2"])
  })

  it("sends unhealthy endpoints unless told otherwise; trafficDistribution always does", () => {
    const endpoints = slice({ health: "UNHEALTHY" })
    const off = { ...defaultMeshConfig, sendUnhealthyEndpoints: false }
    const rule = destinationRule({ outlierDetection: { minHealthPercent: 1 } })
    const near = service({ trafficDistribution: "PreferSameZone" })
    assert.lengthOf(summary({ endpoints }), 1)
    assert.lengthOf(summary({ endpoints, mesh: off }), 0)
    assert.lengthOf(summary({ endpoints, rule }), 0)
    assert.lengthOf(summary({ endpoints, rule, mesh: off, service: near }), 1)
    const subsetRule = destinationRule(
      {},
      {
        subsets: [
          {
            name: "v1",
            labels: {},
            trafficPolicy: { ...noTrafficPolicy, outlierDetection: { minHealthPercent: 1 } }
          }
        ]
      }
    )
    assert.lengthOf(summary({ endpoints, rule: subsetRule }), 1)
    assert.lengthOf(summary({ endpoints, rule: subsetRule, cluster: { ...cluster, subset: "v1" } }), 0)
  })

  it("keeps draining endpoints for both kinds of persistent session", () => {
    const endpoints = slice({ health: "DRAINING" })
    for (const label of ["istio.io/persistent-session", "istio.io/persistent-session-header"]) {
      assert.lengthOf(summary({ endpoints, service: service({ labels: { [label]: "session" } }) }), 1)
    }
    assert.lengthOf(summary({ endpoints }), 0)
  })

  it("leaves localities that are emptied at the horizon or by distribution, without and with weight", () => {
    const gateways = indexGateways([gateway("far", "192.0.2.1")])
    const endpoints = slice({ locality: "eu", network: "far" }, { locality: "us" })
    assert.deepStrictEqual(summary({ endpoints, gateways }), ["0 eu// undefined: ", "0 us// 1: 10.0.0.2"])
    const localityLbSetting = {
      enabled: true,
      distribute: [{ from: "*", to: { us: 100 } }],
      failover: [],
      failoverPriority: []
    }
    const rule = destinationRule({ localityLbSetting })
    const assignment = buildAssignment(
      input({ endpoints: slice({ locality: "eu", weight: 3 }, { locality: "us" }), rule })
    )
    assert.deepStrictEqual(
      assignment.localities.map(({ weight }) => weight),
      [3, 100]
    )
    assert.deepStrictEqual(
      assignment.excluded.map(({ reason }) => reason._tag),
      ["NoShare"]
    )
  })

  it("leaves only mutual TLS behind an SNI-DNAT gateway", () => {
    const endpoints = slice({ tlsMode: "istio" }, { tlsMode: "disabled" })
    const { excluded, localities } = buildAssignment(
      input({ endpoints, cluster: { ...cluster, sniDnat: true } })
    )
    assert.deepStrictEqual(
      localities.map(({ weight }) => weight),
      [1]
    )
    assert.deepStrictEqual(
      excluded.map(({ reason }) => reason._tag),
      ["NotMutualTls"]
    )
  })

  it("fails over by labels within a locality, and then by locality", () => {
    const rule = destinationRule({
      outlierDetection: { minHealthPercent: 0 },
      localityLbSetting: {
        enabled: true,
        distribute: [],
        failover: [{ from: "eu", to: "us" }],
        failoverPriority: ["version"]
      }
    })
    const endpoints = slice(
      { locality: "eu", labels: { version: "v1" } },
      { locality: "eu", labels: { version: "v2" } },
      { locality: "us", labels: { version: "v1" } }
    )
    const near = view({ labels: { version: "v1" }, locality: parseLocality("eu") })
    assert.deepStrictEqual(summary({ endpoints, rule, view: near }), [
      "0 eu// 1: 10.0.0.1",
      "2 eu// 1: 10.0.0.2",
      "1 us// 1: 10.0.0.3"
    ])
    const unlabelled = view({ locality: parseLocality("eu") })
    assert.deepStrictEqual(summary({ endpoints, rule, view: unlabelled }), [
      "0 eu// 2: 10.0.0.1,10.0.0.2",
      "1 us// 1: 10.0.0.3"
    ])
  })

  it("tells of every endpoint once: sent, behind gateways, or excluded with a reason", () => {
    fc.assert(
      fc.property(assignmentInput, (of) => {
        const { behindGateways, empty, excluded, localities } = buildAssignment(of)
        const sent = localities.flatMap(({ endpoints }) =>
          endpoints.flatMap(({ source }) => (isGateway(source) ? [] : [source]))
        )
        const told = [
          ...sent,
          ...behindGateways.map(({ endpoint }) => endpoint),
          ...excluded.map(({ endpoint }) => endpoint)
        ]
        const known = of.endpoints?.groups.flatMap(({ endpoints }) => endpoints) ?? []
        const looked = empty === undefined || empty._tag === "AllExcluded" || empty._tag === "NoEndpoints"
        assert.sameMembers(told, looked ? known : [])
      }),
      { numRuns: 1000 }
    )
  })

  it("is what clients accept: unique addresses, unique localities per priority, no priority left out", () => {
    fc.assert(
      fc.property(assignmentInput, (of) => {
        const { localities } = buildAssignment(of)
        const sockets = localities.flatMap(({ endpoints }) =>
          endpoints.flatMap(({ address }) => (address.kind === "socket" ? [JSON.stringify(address)] : []))
        )
        assert.strictEqual(new Set(sockets).size, sockets.length)
        const keys = localities.map(({ locality, priority }) => JSON.stringify([priority, locality]))
        assert.strictEqual(new Set(keys).size, keys.length)
        const priorities = new Set(localities.map(({ priority }) => priority))
        for (let i = 0; i < priorities.size; i++) assert.isTrue(priorities.has(i))
      }),
      { numRuns: 1000 }
    )
  })
})
