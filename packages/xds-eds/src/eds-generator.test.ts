import { assert, describe, it } from "@effect/vitest"
import { Graph } from "@istiod-lite/collections"
import type { PolicyQueries } from "@istiod-lite/mesh-policy"
import {
  defaultMeshConfig,
  gatewaysKey,
  keyOfService,
  type MutualTlsMode,
  type NetworkGateway,
  type PushRequest,
  type Service,
  type ServiceEndpoints
} from "@istiod-lite/model"
import { endpoint, endpointGroup, proxy, service } from "@istiod-lite/model/testing"
import { ClusterLoadAssignment, endpointTypeUrl } from "@istiod-lite/xds-proto"
import { assignmentQuery, edsGenerator, type GeneratorSources } from "./eds-generator.ts"
import { gateway, groups, reviews, view } from "./testing/inputs.ts"

const name = `outbound|80||${reviews}`
const client = proxy()
const slice = endpointGroup({ endpoints: [endpoint({ tlsMode: "istio" })] })

/** Sources whose services, endpoints, gateways and PeerAuthentication a test changes. */
const setUp = () => {
  const graph = new Graph()
  const services = new Map<string, Service>([[reviews, service()]])
  const endpoints = graph.source<ServiceEndpoints>("endpoints")
  const gateways = graph.source<ReadonlyArray<NetworkGateway>>("gateways")
  const modes = graph.source<MutualTlsMode>("peer modes")
  endpoints.set(keyOfService(service()), groups(slice))
  const policy: Pick<PolicyQueries, "destinationRule" | "mesh" | "peerAuthentication" | "viewOf"> = {
    viewOf: (_, of) => ({
      ...view(),
      proxy: of,
      scope: { ...view().scope, services: [...services.values()], byHostname: services }
    }),
    destinationRule: () => undefined,
    mesh: () => defaultMeshConfig,
    peerAuthentication: (read, { namespace }) => read.get(modes, namespace) ?? "PERMISSIVE"
  }
  const sources: GeneratorSources = { graph, policy, discovery: { endpoints, gateways } }
  return { endpoints, gateways, modes, services, sources, generator: edsGenerator(sources) }
}

const decode = (bytes: Uint8Array) => ClusterLoadAssignment.decode(bytes)
const addresses = (bytes: Uint8Array): number =>
  decode(bytes).endpoints.reduce((sum, { lbEndpoints }) => sum + lbEndpoints.length, 0)

describe("edsGenerator", () => {
  it("answers every name, in order, those it does not know with empty assignments", () => {
    const { generator } = setUp()
    const names = [name, "outbound|81||nobody", "anything", `outbound_.80_._.${reviews}`]
    const resources = generator.generate(names, client)
    assert.deepStrictEqual(
      resources.map((resource) => resource.name),
      names
    )
    assert.deepStrictEqual(
      resources.map(({ bytes }) => decode(bytes).clusterName),
      names
    )
    assert.deepStrictEqual(
      resources.map(({ bytes }) => addresses(bytes)),
      [1, 0, 0, 1]
    )
    assert.strictEqual(generator.typeUrl, endpointTypeUrl)
  })

  it("gives equal proxies the same resource, and keeps it while nothing changes", () => {
    const { endpoints, generator } = setUp()
    const [first] = generator.generate([name], client)
    assert.strictEqual(generator.generate([name], proxy({ name: "other" }))[0], first)
    endpoints.set(keyOfService(service()), groups(endpointGroup(slice)))
    assert.strictEqual(generator.generate([name], client)[0], first)
    endpoints.set(keyOfService(service()), groups())
    assert.notStrictEqual(generator.generate([name], client)[0], first)
  })

  it("follows services, endpoints, gateways and PeerAuthentication", () => {
    const { endpoints, gateways, generator, modes, services } = setUp()
    const versions = [generator.generate([name], client)[0]?.version]
    const changes = [
      () => modes.set("shop", "DISABLE"),
      () =>
        endpoints.set(
          keyOfService(service()),
          groups(slice, endpointGroup({ endpoints: [endpoint({ port: 1 })] }))
        ),
      () => modes.delete("shop"),
      () => gateways.set(gatewaysKey, [gateway("far", "192.0.2.1"), gateway("far", "192.0.2.2")]),
      () => services.delete(reviews)
    ]
    for (const change of changes) {
      change()
      versions.push(generator.generate([name], client)[0]?.version)
    }
    assert.strictEqual(new Set(versions).size, changes.length + 1)
  })

  it("names the hosts that a push is about, and the host of a cluster", () => {
    const { generator } = setUp()
    const request: PushRequest = {
      full: false,
      services: new Set([`shop/${reviews}`]),
      endpoints: new Set(["shop/carts"]),
      proxies: new Set(),
      reasons: new Map(),
      since: 0
    }
    assert.deepStrictEqual(generator.scopeOf?.(request), new Set([reviews, "carts"]))
    assert.strictEqual(generator.scopeOf?.({ ...request, full: true }), "all")
    assert.strictEqual(generator.subjectOf?.(name), reviews)
    assert.strictEqual(generator.subjectOf?.("anything"), "anything")
  })

  it("has a companion that serves single endpoints to delta clients that ask for them, and to no others", () => {
    const { sources } = setUp()
    const generator = edsGenerator(sources, { leds: { threshold: 1 } })
    const single = generator.companion
    assert.isDefined(single)
    const asking = proxy({ metadata: { ISTIOD_LITE_LEDS: "1" } })
    const [assignment] = generator.generate([name], asking, "delta")
    const config = decode(assignment?.bytes ?? new Uint8Array()).endpoints[0]?.lbConfig
    assert(config?.$case === "ledsClusterLocalityConfig")
    const { ledsCollectionName: collection, ledsConfig } = config.value
    assert.deepInclude(ledsConfig, {
      configSourceSpecifier: { $case: "ads", value: {} },
      resourceApiVersion: 2
    })
    const told = single.generate([collection, `${collection}x`, name], asking, "delta")
    assert.deepStrictEqual(
      told.map((resource) => resource.name),
      [collection]
    )
    assert.lengthOf(told[0]?.members?.(undefined).resources ?? [], 1)
    assert.strictEqual(single.parentOf?.(collection), name)
    assert.strictEqual(single.subjectOf?.(collection), reviews)
    const whole = setUp().generator.generate([name], client)[0]?.bytes
    for (const [one, protocol] of [
      [asking, "sotw"],
      [asking, undefined],
      [client, "delta"]
    ] as const) {
      assert.deepStrictEqual(generator.generate([name], one, protocol)[0]?.bytes, whole)
      assert.lengthOf(single.generate([collection], one, protocol), 0)
    }
    assert.isUndefined(edsGenerator(sources).companion)
  })

  it("explains what it sends", () => {
    const { endpoints, sources } = setUp()
    endpoints.set(
      keyOfService(service()),
      groups(slice, endpointGroup({ endpoints: [endpoint({ servicePortName: "x" })] }))
    )
    const assignment = assignmentQuery(sources)(client, name)
    assert.strictEqual(assignment.localities[0]?.endpoints.length, 1)
    assert.deepStrictEqual(
      assignment.excluded.map(({ reason }) => reason._tag),
      ["OtherPort"]
    )
  })
})
