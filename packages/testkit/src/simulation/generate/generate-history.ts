import {
  type Batch,
  clusters,
  configCluster,
  type History,
  remoteCluster,
  type SimulatedEvent
} from "../history.ts"
import { SeededRandom } from "../random.ts"
import { clusterChanges, putExportOrImport, putNode, putRootNamespace } from "./cluster-changes.ts"
import { machineChanges, putEntry, putMachine } from "./machine-changes.ts"
import { someMesh, someMultiCluster } from "./mesh-changes.ts"
import { kubeServices } from "./names.ts"
import { createPod, podChanges } from "./pod-changes.ts"
import { policyChanges } from "./policy-changes.ts"
import { putGateway, putService, serviceChanges } from "./service-changes.ts"
import { sliceChanges, spread } from "./slice-changes.ts"
import { someClients } from "./some-clients.ts"
import { World } from "./world.ts"

/** How many batches a history has after the one that sets up the meshes. */
export const batchCount = 60

/** The history of a seed: the same one whenever it is asked for. */
export const generateHistory = (seed: number): History => {
  const random = new SeededRandom(seed)
  const world = new World(random)
  const clients = someClients(random)
  setUp(world)
  const first = batchOf(world, clients.length, [])
  const rest = Array.from({ length: batchCount }, () => nextBatch(world, clients.length))
  return { seed, clients, batches: [first, ...rest, { ...emptyBatch, together: true }] }
}

const emptyBatch: Batch = { together: false, eager: false, stalled: [], events: [] }

const setUp = (world: World): void => {
  for (const cluster of clusters) {
    world.connect(cluster)
    putRootNamespace(world, cluster)
    for (let i = 0; i < 3; i++) putNode(world, cluster)
    for (let i = 0; i < 6; i++) createPod(world, cluster)
    for (const name of kubeServices) {
      putService(world, cluster, name)
      spread(world, cluster, (random) => random.pick(["a", "b"]), name)
    }
    putGateway(world, cluster)
    for (let i = 0; i < 3; i++) putExportOrImport(world, cluster)
  }
  if (world.random.chance(0.4)) world.configure({ action: "configure", mesh: someMultiCluster(world.random) })
  for (let i = 0; i < 3; i++) {
    putMachine(world)
    putEntry(world)
  }
}

const nextBatch = (world: World, clientCount: number): Batch => {
  const { random } = world
  // A replacement stands alone, so that what clients are told meanwhile is its own doing.
  if (random.chance(0.04)) {
    const cluster = random.chance(0.3) ? configCluster : remoteCluster
    world.replace(cluster, () => random.chance(0.5) && change(world))
    return { ...batchOf(world, clientCount, world.takeEvents()), eager: true }
  }
  const changes = 1 + random.below(4)
  for (let i = 0; i < changes; i++) change(world)
  return batchOf(world, clientCount, [])
}

const change = (world: World): void => {
  const { random } = world
  const cluster = world.someCluster()
  const of = <A>(list: ReadonlyArray<A>): A | undefined => random.oneOf(list)
  const kind = random.next()
  if (kind < 0.27) of(podChanges)?.(world, cluster)
  else if (kind < 0.5) of(sliceChanges)?.(world, cluster)
  else if (kind < 0.62) of(serviceChanges)?.(world, cluster)
  else if (kind < 0.78) of(machineChanges)?.(world)
  else if (kind < 0.86) of(policyChanges)?.(world)
  else if (kind < 0.98) of(clusterChanges)?.(world, cluster)
  else world.configure({ action: "configure", mesh: someMesh(random) })
}

const batchOf = (world: World, clientCount: number, given: ReadonlyArray<SimulatedEvent>): Batch => {
  const { random } = world
  const events = [...given, ...world.takeEvents()]
  return {
    together: random.chance(0.3),
    eager: random.chance(0.4),
    stalled: random.some(
      Array.from({ length: clientCount }, (_, i) => i),
      0.15
    ),
    events: random.chance(0.5) ? reorderKinds(events, random) : events
  }
}

/** Events of different kinds overtake each other, as those of different watches do; one kind keeps its order. */
const reorderKinds = (
  events: ReadonlyArray<SimulatedEvent>,
  random: SeededRandom
): ReadonlyArray<SimulatedEvent> => {
  if (events.some(isAboutCluster)) return events
  const byWatch = Map.groupBy(events, watchOf)
  const turns = random.shuffled(events.map(watchOf))
  return turns.flatMap((watch) => byWatch.get(watch)?.shift() ?? [])
}

const isAboutCluster = ({ action }: SimulatedEvent): boolean => action !== "apply" && action !== "delete"

const watchOf = (event: SimulatedEvent): string =>
  event.action === "apply"
    ? `${event.cluster}/${event.manifest.kind}`
    : event.action === "delete"
      ? `${event.cluster}/${event.identity.kind}`
      : ""
