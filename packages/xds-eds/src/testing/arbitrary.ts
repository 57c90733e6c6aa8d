/** Random inputs of assignments, of the kinds that matter: few values, so that things meet and collide. */
import { formatClusterName, noTrafficPolicy } from "@istiod-lite/mesh-policy"
import {
  augmentLabels,
  defaultMeshConfig,
  type Discoverability,
  type Endpoint,
  type EndpointGroup,
  type EndpointOrigin,
  type Health,
  type Labels,
  parseLocality,
  type Proxy,
  type Resolution,
  type TrafficDistribution
} from "@istiod-lite/model"
import { service, testTime } from "@istiod-lite/model/testing"
import * as fc from "fast-check"
import { indexGateways } from "../network-gateways.ts"
import type { AssignmentInput } from "../plan-assignment.ts"
import { destinationRule, gateway, groups, input, reviews, view } from "./inputs.ts"

/** The first value in nine of ten cases: inputs should seldom be odd in more than a few ways at once. */
const mostly = <const T>(usual: T, ...others: ReadonlyArray<T>): fc.Arbitrary<T> =>
  fc.oneof({ weight: 9, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constantFrom(...others) })

const localities = ["", "eu/eu-1", "eu/eu-1/", "eu/eu-1/a", "eu/eu-2", "us/us-1", "us", "ä/ö"]
const clusters = ["k1", "k2"]

const address = fc.oneof(
  { weight: 20, arbitrary: fc.integer({ min: 1, max: 90 }).map((i) => `10.0.0.${i}`) },
  {
    weight: 1,
    arbitrary: fc.constantFrom("fd00::1", "fd00:0::1", "", "db.example", "unix:///var/run/x.sock")
  }
)

const workloadLabels: fc.Arbitrary<Labels> = fc.record({
  version: fc.constantFrom("v1", "v2"),
  app: fc.constantFrom("reviews", "r\u00e9views"),
  "networking.istio.io/tunnel": mostly("", "http"),
  "istio.io/draining": mostly("", "yes")
})

const endpoint: fc.Arbitrary<Endpoint> = fc
  .record({
    addresses: fc.array(address, { minLength: 1, maxLength: 2 }),
    labels: workloadLabels,
    network: fc.constantFrom("", "n1", "n2"),
    locality: fc.constantFrom(...localities),
    cluster: fc.constantFrom(...clusters),
    tlsMode: fc.constantFrom("istio", "disabled", "legacy"),
    weight: mostly(0, 1, 7, 300, 2 ** 32 - 1),
    workloadName: fc.constantFrom("reviews-1", "", "r\u{1f600}"),
    node: fc.constantFrom("node-1", "node-2"),
    port: mostly(8080, 9090, 0),
    servicePortName: mostly("http", "grpc"),
    health: mostly<Health>("HEALTHY", "UNKNOWN", "UNHEALTHY", "DRAINING", "TERMINATING"),
    discoverability: mostly<Discoverability>("", "DiscoverableFromSameCluster"),
    kind: fc.constantFrom<EndpointOrigin["kind"]>("Pod", "WorkloadEntry", "Inline"),
    name: fc.constantFrom("a", "b", "c")
  })
  .map(({ kind, name, ...facts }): Endpoint => {
    const located = { ...facts, serviceAccount: "", namespace: "shop", hostname: "", subdomain: "" }
    return {
      ...located,
      labels: augmentLabels(facts.labels, located),
      legacyClusterPortKey: 0,
      sendUnhealthy: false,
      origin: { kind, name, namespace: "shop", creationTime: testTime }
    }
  })

export const endpointGroups: fc.Arbitrary<ReadonlyArray<EndpointGroup>> = fc.array(
  fc.record({
    hostname: fc.constant(reviews),
    namespace: fc.constant("shop"),
    shard: fc.constantFrom("Kubernetes/k1", "Kubernetes/k2", "External/k1"),
    endpoints: fc.array(endpoint, { maxLength: 8, size: "max" })
  }),
  { maxLength: 4, size: "max" }
)

const localityLb = fc.record({
  enabled: fc.boolean(),
  distribute: fc.constantFrom([], [], [{ from: "eu/*", to: { "eu/eu-1/*": 80, "us/*": 20 } }]),
  failover: fc.constantFrom([], [{ from: "eu", to: "us" }]),
  failoverPriority: mostly<ReadonlyArray<string>>(
    [],
    ["topology.istio.io/network", "version"],
    ["version=v1", "app"]
  )
})

const rule = fc
  .record({
    tlsMode: fc.constantFrom(undefined, "ISTIO_MUTUAL" as const, "DISABLE" as const),
    outlierDetection: fc.constantFrom(undefined, { minHealthPercent: 0 }, { minHealthPercent: 50 }),
    localityLbSetting: fc.option(localityLb, { nil: undefined }),
    subset: fc.constantFrom({}, { version: "v1" })
  })
  .map(({ subset, ...policy }) =>
    destinationRule(policy, {
      subsets: [{ name: "v1", labels: subset, trafficPolicy: noTrafficPolicy }]
    })
  )

export const proxyView = fc
  .record({
    ipMode: fc.constantFrom("IPv4" as const, "IPv6" as const, "Dual" as const),
    locality: fc.constantFrom(...localities).map(parseLocality),
    labels: fc.constantFrom<Labels>({}, { version: "v1", "topology.istio.io/network": "n1" }),
    cluster: fc.constantFrom(...clusters),
    network: fc.constantFrom("", "n1"),
    node: fc.constantFrom("node-1", ""),
    networkView: mostly<Proxy["networkView"]>(undefined, new Set(["n1"]))
  })
  .map(({ ipMode, labels, locality, ...of }) => view({ ipMode, labels, locality }, of))

const reviewsService = fc
  .record({
    labels: fc.constantFrom<Labels>({}, { "istio.io/persistent-session": "cookie" }),
    trafficDistribution: mostly<TrafficDistribution>("Any", "PreferSameZone"),
    resolution: mostly<Resolution>("clientSideLB", "dnsLB", "passthrough")
  })
  .map((fields) => service(fields))

const oneWay = [gateway("n2", "192.0.2.1")]
const manyWays = [...oneWay, gateway("n2", "192.0.2.2", "k2"), gateway("n1", "2001:db8::1")]

/** Any input; about half of them are of the common kind that needs nothing but joining. */
export const assignmentInput: fc.Arbitrary<AssignmentInput> = fc
  .record({
    list: endpointGroups,
    rule: fc.option(rule, { nil: undefined }),
    view: proxyView,
    service: fc.option(reviewsService, { nil: undefined, freq: 50 }),
    gateways: fc.constantFrom([], [], oneWay, manyWays),
    subset: mostly("", "v1"),
    sniDnat: mostly(false, true),
    dualStack: fc.boolean(),
    strict: fc.boolean()
  })
  .map(({ dualStack, gateways, list, sniDnat, strict, subset, ...fields }) => {
    const cluster = { direction: "outbound", port: 80, subset, hostname: reviews, sniDnat } as const
    return input({
      ...fields,
      cluster,
      name: formatClusterName(cluster),
      endpoints: groups(...list),
      gateways: indexGateways(gateways),
      peerMode: strict ? modes.strict : modes.mixed,
      mesh: { ...defaultMeshConfig, dualStack }
    })
  })

const modes: Readonly<Record<"strict" | "mixed", AssignmentInput["peerMode"]>> = {
  strict: () => "STRICT",
  mixed: (_, port) => (port === 9090 ? "DISABLE" : "PERMISSIVE")
}
