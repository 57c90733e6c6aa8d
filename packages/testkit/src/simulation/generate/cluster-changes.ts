import { configCluster, remoteCluster } from "../history.ts"
import { multiCluster, namespace, node } from "./manifests.ts"
import { kubeServices, namespaces, networks, nodes, rootNamespace, zones } from "./names.ts"
import type { World } from "./world.ts"

/** What may happen to nodes, namespaces and whole clusters, and to the connections to them. */
export const clusterChanges: ReadonlyArray<(world: World, cluster: string) => void> = [
  putNode,
  putNode,
  (world, cluster) => {
    const identity = world.random.oneOf(world.identities(cluster, "Node"))
    if (identity !== undefined) world.drop(cluster, identity)
  },
  putRootNamespace,
  putNamespace,
  putExportOrImport,
  putExportOrImport,
  (world, cluster) => {
    const kind = world.random.pick(["ServiceExport", "ServiceImport"])
    const identity = world.random.oneOf(world.identities(cluster, kind))
    if (identity !== undefined) world.drop(cluster, identity)
  },
  (world, cluster) => deleteNamespace(world, cluster, world.random.pick(namespaces)),
  // The configuration cluster goes seldom.
  (world) => loseOrRegain(world, world.random.chance(0.15) ? configCluster : remoteCluster),
  (world) => loseOrRegain(world, remoteCluster),
  (world, cluster) => world.relist(cluster),
  (world, cluster) => world.repeat(cluster),
  (world, cluster) => world.repeat(cluster)
]

export function putNode(world: World, cluster: string): void {
  const { random } = world
  const name = random.pick(nodes)
  const [region, zone] = random.pick(zones)
  const labels = { "topology.kubernetes.io/region": region, "topology.kubernetes.io/zone": zone }
  world.put(cluster, node(name, labels, `203.0.113.${1 + nodes.indexOf(name)}`))
}

/** The label of the system namespace says in which network the whole cluster is. */
export function putRootNamespace(world: World, cluster: string): void {
  const network = world.random.pick(networks)
  world.put(
    cluster,
    namespace({
      name: rootNamespace,
      labels: { ...(network !== "" && { "topology.istio.io/network": network }) }
    })
  )
}

function putNamespace(world: World, cluster: string): void {
  const { random } = world
  const annotations = random.chance(0.3)
    ? { "networking.istio.io/traffic-distribution": random.pick(["PreferClose", "PreferSameNode"]) }
    : {}
  world.put(cluster, namespace({ name: random.pick(namespaces), annotations }))
}

/** That a service is known in other clusters, or where it is known in this one. */
export function putExportOrImport(world: World, cluster: string): void {
  const { random } = world
  const name = random.pick(kubeServices)
  const ips = random.pick([[], ["10.112.0.1"], ["10.112.0.2", "fd00::2"]])
  world.put(
    cluster,
    random.chance(0.5)
      ? multiCluster("ServiceExport", name)
      : multiCluster("ServiceImport", name, { type: "ClusterSetIP", ips })
  )
}

/** All that is in it goes, in no particular order, and the namespace itself last. */
const deleteNamespace = (world: World, cluster: string, name: string): void => {
  const members = world.identities(cluster).filter((identity) => identity.namespace === name)
  for (const identity of world.random.shuffled(members)) world.drop(cluster, identity)
  world.drop(cluster, { kind: "Namespace", namespace: "", name })
}

const loseOrRegain = (world: World, cluster: string): void =>
  world.isConnected(cluster) ? world.disconnect(cluster) : world.connect(cluster)
