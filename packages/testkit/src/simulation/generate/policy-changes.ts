import { configCluster } from "../history.ts"
import { networkingObject, peerAuthentication } from "./manifests.ts"
import { apps, hosts, namespaces, rootNamespace } from "./names.ts"
import type { World } from "./world.ts"

/** What may happen to the objects that say who sees what, and how. */
export const policyChanges: ReadonlyArray<(world: World) => void> = [
  putDestinationRule,
  putDestinationRule,
  putVirtualService,
  putPassthroughGateway,
  (world) => {
    const { random } = world
    const seen = random.pick([
      ["*/*"],
      ["./*"],
      ["shop/*", "istio-system/*"],
      ["*/cart.shop.svc.cluster.local"]
    ])
    world.put(
      configCluster,
      networkingObject(
        "Sidecar",
        { name: "default", namespace: random.pick([...namespaces, rootNamespace]) },
        { egress: [{ hosts: seen }] }
      )
    )
  },
  (world) => {
    const { random } = world
    world.put(
      configCluster,
      peerAuthentication(
        { name: "default", namespace: random.pick([...namespaces, rootNamespace]) },
        { mtls: { mode: random.pick(["STRICT", "PERMISSIVE", "DISABLE"]) } }
      )
    )
  },
  (world) => {
    const kind = world.random.pick([
      "DestinationRule",
      "Sidecar",
      "PeerAuthentication",
      "VirtualService",
      "Gateway"
    ])
    const identity = world.random.oneOf(world.identities(configCluster, kind))
    if (identity !== undefined) world.drop(configCluster, identity)
  }
]

function putDestinationRule(world: World): void {
  const { random } = world
  const name = random.pick(["rule-1", "rule-2", "rule-3"])
  const subsets = random.some(["v1", "v2"], 0.6)
  const failover = random.pick([
    {},
    { failover: [{ from: "eu", to: "us" }] },
    { failoverPriority: ["topology.kubernetes.io/region", "topology.kubernetes.io/zone"] },
    { distribute: [{ from: "eu/*", to: { "eu/*": 80, "us/*": 20 } }] }
  ])
  world.put(
    configCluster,
    networkingObject(
      "DestinationRule",
      { name, namespace: random.pick([...namespaces, rootNamespace]), creationTimestamp: world.someTime() },
      {
        host: random.oneOf(hosts),
        subsets: subsets.map((version) => ({ name: version, labels: { version } })),
        ...(random.chance(0.3) && { exportTo: [random.pick([".", "*"])] }),
        trafficPolicy: {
          ...(random.chance(0.6) && { outlierDetection: { consecutive5xxErrors: 3, minHealthPercent: 20 } }),
          ...(random.chance(0.5) && { loadBalancer: { localityLbSetting: { enabled: true, ...failover } } }),
          ...(random.chance(0.2) && { tls: { mode: random.pick(["DISABLE", "ISTIO_MUTUAL"]) } })
        }
      }
    )
  )
}

/** Routes lead to services that a Sidecar does not name. */
function putVirtualService(world: World): void {
  const { random } = world
  const route = [{ destination: { host: random.oneOf(hosts), port: { number: random.pick([80, 9090]) } } }]
  const match = random.chance(0.3) ? { match: [{ sourceNamespace: random.pick(namespaces) }] } : {}
  world.put(
    configCluster,
    networkingObject(
      "VirtualService",
      {
        name: random.pick(["route-1", "route-2"]),
        namespace: random.pick(namespaces),
        creationTimestamp: world.someTime()
      },
      {
        hosts: [random.oneOf(hosts)],
        ...(random.chance(0.3) && { exportTo: [random.pick([".", "*"])] }),
        http: [{ ...match, route }]
      }
    )
  )
}

/** With one, a router that it selects forwards by server name, to clusters of its own. */
function putPassthroughGateway(world: World): void {
  const { random } = world
  world.put(
    configCluster,
    networkingObject(
      "Gateway",
      { name: "passthrough", namespace: rootNamespace },
      {
        selector: { app: random.pick(apps) },
        servers: [
          {
            port: { number: 15_443, name: "tls", protocol: "TLS" },
            hosts: ["*.local"],
            tls: { mode: random.pick(["AUTO_PASSTHROUGH", "SIMPLE"]) }
          }
        ]
      }
    )
  )
}
