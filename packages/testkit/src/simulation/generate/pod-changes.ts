import type { PodState } from "./manifests.ts"
import { accounts, apps, namespaces, networks, nodes, versions } from "./names.ts"
import type { World } from "./world.ts"

/** What may happen to pods: each change is one that a cluster makes. */
export const podChanges: ReadonlyArray<(world: World, cluster: string) => void> = [
  (world, cluster) => createPod(world, cluster),
  // Started again, in another place, under another address.
  changePod((world, cluster, pod) => ({ ...pod, ip: someAddress(world, cluster), ...renewed(world) })),
  // Started again, and it got the same address.
  changePod((world, _, pod) => ({ ...pod, ...renewed(world) })),
  changePod((_, __, pod) => ({ ...pod, ready: !pod.ready })),
  changePod((world, _, pod) => ({ ...pod, labels: someLabels(world) })),
  changePod((world, _, pod) => ({ ...pod, phase: world.random.pick(["Running", "Failed", "Succeeded"]) })),
  changePod((_, __, pod) => ({ ...pod, deleting: true })),
  changePod((world, _, pod) => ({ ...pod, node: world.random.pick(nodes) })),
  (world, cluster) => {
    const pod = world.random.oneOf(world.pods(cluster))
    if (pod !== undefined) world.drop(cluster, { kind: "Pod", namespace: pod.namespace, name: pod.name })
  }
]

/** A pod of any app, or one that is there once more under another address. */
export const createPod = (world: World, cluster: string): void => {
  const { random } = world
  const namespace = random.pick(namespaces)
  world.putPod(cluster, {
    name: `app-${random.below(5)}`,
    namespace,
    uid: `uid-${world.next()}`,
    creationTimestamp: world.someTime(),
    labels: someLabels(world),
    ip: someAddress(world, cluster),
    node: random.pick(nodes),
    serviceAccount: random.pick(accounts),
    phase: random.chance(0.85) ? "Running" : "Pending",
    ready: random.chance(0.8),
    deleting: false
  })
}

function changePod(
  change: (world: World, cluster: string, pod: PodState) => PodState
): (world: World, cluster: string) => void {
  return (world, cluster) => {
    const pod = world.random.oneOf(world.pods(cluster))
    if (pod !== undefined) world.putPod(cluster, change(world, cluster, pod))
  }
}

const renewed = (world: World) => ({
  uid: `uid-${world.next()}`,
  creationTimestamp: world.someTime(),
  phase: "Running",
  ready: world.random.chance(0.8),
  deleting: false
})

/** Few addresses, so that they are soon used again by others. */
const someAddress = (world: World, cluster: string): string =>
  `10.${cluster === "remote" ? 2 : 1}.0.${1 + world.random.below(9)}`

const someLabels = (world: World): Readonly<Record<string, string>> => {
  const { random } = world
  const network = random.chance(0.1) ? random.pick(networks) : ""
  return {
    app: random.pick(apps),
    version: random.pick(versions),
    ...(random.chance(0.3) && { "security.istio.io/tlsMode": "istio" }),
    ...(network !== "" && { "topology.istio.io/network": network })
  }
}
