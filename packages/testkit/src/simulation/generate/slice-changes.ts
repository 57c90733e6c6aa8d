import type { PodState } from "./manifests.ts"
import { slice } from "./manifests.ts"
import { kubeServices, sliceSuffixes } from "./names.ts"
import type { World } from "./world.ts"

/** What may happen to endpoint slices. They follow the pods as late, and as inexactly, as controllers do. */
export const sliceChanges: ReadonlyArray<(world: World, cluster: string) => void> = [
  // All that the slices say is brought up to date, spread over both or in one.
  (world, cluster) => spread(world, cluster, (random) => (random.chance(0.5) ? "a" : "b")),
  (world, cluster) => spread(world, cluster, () => "a"),
  // Addresses move between slices, and stand in both for a while, which may disagree about them.
  (world, cluster) => spread(world, cluster, (random) => random.pick(["a", "b", "ab"])),
  (world, cluster) => {
    const identity = world.random.oneOf(world.identities(cluster, "EndpointSlice"))
    if (identity !== undefined) world.drop(cluster, identity)
  },
  // One slice with nothing in it: the service is scaled to nothing.
  (world, cluster) => {
    const [namespace, name] = world.random.pick(kubeServices)
    putSlice(world, cluster, { namespace, name, suffix: world.random.pick(sliceSuffixes), pods: [] })
  }
]

/** Writes both slices of a service anew: each pod of it goes where `place` says. */
export const spread = (
  world: World,
  cluster: string,
  place: (random: World["random"]) => string,
  [namespace, name]: readonly [string, string] = world.random.pick(kubeServices)
): void => {
  const { random } = world
  const members = world
    .pods(cluster)
    .filter((pod) => pod.namespace === namespace && (pod.labels["app"] === name || random.chance(0.1)))
  const places = members.map((pod) => [pod, place(random)] as const)
  for (const suffix of random.shuffled(sliceSuffixes)) {
    const pods = places.flatMap(([pod, at]) => (at.includes(suffix) ? [pod] : []))
    putSlice(world, cluster, { namespace, name, suffix, pods })
  }
}

interface SliceContent {
  readonly namespace: string
  readonly name: string
  readonly suffix: string
  readonly pods: ReadonlyArray<PodState>
}

const putSlice = (world: World, cluster: string, { name, namespace, pods, suffix }: SliceContent): void => {
  const { random } = world
  world.put(
    cluster,
    slice(
      {
        name: `${name}-${suffix}`,
        namespace,
        labels: { "kubernetes.io/service-name": name },
        creationTimestamp: world.someTime()
      },
      [
        { name: "http", port: random.chance(0.9) ? 8080 : 8081 },
        ...(random.chance(0.5) ? [{ name: "grpc", port: 9090 }] : [])
      ],
      pods.map((pod) => sliceEndpoint(world, pod))
    )
  )
}

const sliceEndpoint = (world: World, pod: PodState): object => {
  const { random } = world
  const terminating = pod.deleting || random.chance(0.1)
  const ready = pod.ready && !terminating
  return {
    addresses: [pod.ip],
    conditions: { ready, serving: ready || random.chance(0.3), terminating },
    nodeName: pod.node,
    ...(random.chance(0.85) && {
      targetRef: {
        kind: "Pod",
        namespace: pod.namespace,
        name: pod.name,
        ...(random.chance(0.7) && { uid: pod.uid })
      }
    })
  }
}
