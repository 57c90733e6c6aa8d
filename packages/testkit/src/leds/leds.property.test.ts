import { assert, describe, it } from "@effect/vitest"
import { Graph } from "@istiod-lite/collections"
import type { PolicyQueries, ProxyView } from "@istiod-lite/mesh-policy"
import {
  defaultMeshConfig,
  type EndpointGroup,
  keyOfService,
  type NetworkGateway,
  type Proxy,
  type ServiceEndpoints,
  type XdsGenerator
} from "@istiod-lite/model"
import { endpoint, endpointGroup, proxy, service } from "@istiod-lite/model/testing"
import { edsGenerator, type GeneratorSources } from "@istiod-lite/xds-eds"
import { groups, reviews, view, withEndpoints } from "@istiod-lite/xds-eds/testing"
import { ClusterLoadAssignment, clusterTypeUrl } from "@istiod-lite/xds-proto"
import { admitAll, Ads, silentObserver } from "@istiod-lite/xds-server"
import * as fc from "fast-check"
import { type Memory, SimulatedEnvoy } from "./simulated-envoy.ts"

const names = [`outbound|80||${reviews}`, `outbound|80|v1|${reviews}`]
const threshold = 4

const push = (ads: Ads, whose: "services" | "endpoints"): void => {
  const none: ReadonlySet<string> = new Set()
  const key = new Set([keyOfService(service())])
  // Everything that changes endpoints may have lost one.
  const removals = whose === "endpoints" ? key : none
  const request = { services: none, endpoints: none, proxies: none, removals, [whose]: key }
  ads.push({ full: false, reasons: new Map(), since: 0, ...request })
}

/** A mesh of one service, whose endpoints and clusters a test changes, and any number of servers of it. */
const setUp = () => {
  const graph = new Graph()
  const endpoints = graph.source<ServiceEndpoints>("endpoints")
  const gateways = graph.source<ReadonlyArray<NetworkGateway>>("gateways")
  const services = new Map([[reviews, service()]])
  const scope = { ...view().scope, services: [...services.values()], byHostname: services }
  // As in the product, a proxy's view is one value: clients that see the same share assignments.
  const views = new WeakMap<Proxy, ProxyView>()
  const policy: Pick<PolicyQueries, "destinationRule" | "mesh" | "peerAuthentication" | "viewOf"> = {
    viewOf: (_, of) => {
      const known = views.get(of) ?? { ...view(), proxy: of, scope }
      views.set(of, known)
      return known
    },
    destinationRule: () => undefined,
    mesh: () => defaultMeshConfig,
    peerAuthentication: () => "PERMISSIVE"
  }
  const sources: GeneratorSources = { graph, policy, discovery: { endpoints, gateways } }
  let clusters = 1
  const clusterGenerator: XdsGenerator = {
    typeUrl: clusterTypeUrl,
    order: 0,
    allResourcesRequired: true,
    generate: () => names.map((name) => ({ name, version: `${clusters}`, bytes: Uint8Array.of(clusters) })),
    scopeOf: ({ services }) => services
  }
  const full = edsGenerator(sources)
  return {
    serve: (): Ads => {
      const ads = new Ads({
        generators: [clusterGenerator, edsGenerator(sources, { leds: { threshold } })],
        versionPrefix: "t",
        now: () => 0,
        idle: () => {},
        observer: silentObserver,
        resolve: (self) => self,
        ...admitAll
      })
      ads.serve()
      return ads
    },
    change: (ads: Ads, list: ReadonlyArray<EndpointGroup>): void => {
      endpoints.set(keyOfService(service()), groups(...list))
      push(ads, "endpoints")
    },
    changeClusters: (ads: Ads): void => {
      clusters++
      push(ads, "services")
    },
    expected: (): ReadonlyMap<string, unknown> =>
      new Map(
        full
          .generate(names, proxy())
          .map(({ bytes, name }) => [name, withEndpoints(ClusterLoadAssignment.decode(bytes))])
      )
  }
}

const member = fc
  .record({
    address: fc.integer({ min: 1, max: 30 }).map((i) => `10.0.0.${i}`),
    locality: fc.constantFrom("eu/eu-1", "eu/eu-1", "eu/eu-2", "", "us/us-1/a b"),
    health: fc.constantFrom("HEALTHY", "HEALTHY", "UNHEALTHY"),
    version: fc.constantFrom("v1", "v2")
  })
  .map(({ address, health, locality, version }) =>
    endpoint({ addresses: [address], locality, health, labels: { version } })
  )

const slice = fc
  .uniqueArray(member, { maxLength: 12, size: "max", selector: ({ addresses }) => addresses[0] })
  .map((endpoints) => endpointGroup({ endpoints }))

const command = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant("change" as const), at: fc.nat({ max: 2 }), slice })
  },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant("read" as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("clusters" as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("reconnect" as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("other server" as const) }) }
)

const settle = (client: SimulatedEnvoy): void => {
  for (let i = 0; client.read(); i++) assert.isBelow(i, 100)
}

describe("LEDS", () => {
  it.each<Memory>(["says nothing", "says what it has"])(
    "brings a client that %s when it reconnects to what full assignments say, whatever happens",
    (memory) => {
      let single = 0
      fc.assert(
        fc.property(fc.array(command, { maxLength: 40, size: "max" }), (commands) => {
          const mesh = setUp()
          let ads = mesh.serve()
          const client = new SimulatedEnvoy(ads, names, memory)
          const list: Array<EndpointGroup> = []
          client.connect()
          for (const one of commands) {
            if (one.kind === "change") list[Math.min(one.at, list.length)] = one.slice
            if (one.kind === "change") mesh.change(ads, list)
            if (one.kind === "read") client.read()
            if (one.kind === "clusters") mesh.changeClusters(ads)
            if (one.kind === "reconnect") client.connect(ads)
            if (one.kind === "other server") client.connect((ads = mesh.serve()))
          }
          settle(client)
          assert.deepStrictEqual(client.assignments(), mesh.expected())
          single += client.endpointsSent
        }),
        { numRuns: 200 }
      )
      assert.isAbove(single, 300)
    },
    60_000
  )
})
