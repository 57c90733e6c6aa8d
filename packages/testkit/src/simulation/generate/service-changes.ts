import { service } from "./manifests.ts"
import { apps, kubeServices, namespaces, networks, rootNamespace } from "./names.ts"
import type { World } from "./world.ts"

/** What may happen to Kubernetes services: any aspect is written anew. */
export const serviceChanges: ReadonlyArray<(world: World, cluster: string) => void> = [
  (world, cluster) => putService(world, cluster),
  (world, cluster) => putService(world, cluster),
  (world, cluster) => putGateway(world, cluster),
  (world, cluster) => {
    const identity = world.random.oneOf(world.identities(cluster, "Service"))
    if (identity !== undefined) world.drop(cluster, identity)
  }
]

/** A service with any selector, ports, type and settings, more often with plain ones. */
export const putService = (
  world: World,
  cluster: string,
  [namespace, name]: readonly [string, string] = world.random.pick(kubeServices)
): void => {
  const { random } = world
  const rarely = <A>(value: A): A | undefined => (random.chance(0.12) ? value : undefined)
  const exportTo = rarely(random.pick([".", "~", "*", ...namespaces]))
  world.put(
    cluster,
    service(
      {
        name,
        namespace,
        creationTimestamp: world.someTime(),
        labels: { ...(rarely(true) && { "istio.io/persistent-session": "on" }) },
        annotations: {
          ...(exportTo !== undefined && { "networking.istio.io/exportTo": exportTo }),
          ...(rarely(true) && { "networking.istio.io/traffic-distribution": "PreferClose" }),
          ...(rarely(true) && { "alpha.istio.io/canonical-serviceaccounts": "legacy" })
        }
      },
      {
        ...someType(world, cluster, name),
        ...(random.chance(0.9) && { selector: { app: random.chance(0.85) ? name : random.pick(apps) } }),
        ports: [
          { name: "http", port: 80, targetPort: random.chance(0.5) ? 8080 : "web" },
          ...(random.chance(0.5) ? [{ name: "grpc", port: 9090, targetPort: 9090 }] : [])
        ],
        ...(rarely(true) && { publishNotReadyAddresses: true }),
        ...(rarely(true) && { internalTrafficPolicy: "Local" })
      }
    )
  )
}

const someType = (world: World, cluster: string, name: string): object => {
  const { random } = world
  const clusterIP = `10.96.${cluster === "remote" ? 2 : 1}.${name.length}`
  if (random.chance(0.7)) return { type: "ClusterIP", clusterIP }
  return random.pick([
    { type: "ClusterIP", clusterIP: "None" },
    { type: "NodePort", clusterIP },
    { type: "ExternalName", externalName: "web.shop.svc.cluster.local" }
  ])
}

/** The entrance of a network. */
export const putGateway = (world: World, cluster: string): void => {
  const { random } = world
  const ingress = random.pick([
    [],
    [{ ip: `198.51.100.${cluster === "remote" ? 2 : 1}` }],
    [{ ip: "198.51.100.7" }, { ip: "198.51.100.8" }],
    [{ hostname: "entrance.example.com" }]
  ])
  world.put(
    cluster,
    service(
      {
        name: "gateway",
        namespace: rootNamespace,
        creationTimestamp: world.someTime(),
        labels: { "topology.istio.io/network": random.pick(networks) }
      },
      {
        type: "LoadBalancer",
        clusterIP: "10.96.9.9",
        selector: { app: "gateway" },
        ports: [{ name: "tls", port: random.chance(0.9) ? 15_443 : 443, targetPort: 15_443 }]
      },
      { loadBalancer: { ingress } }
    )
  )
}
