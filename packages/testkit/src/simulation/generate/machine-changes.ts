import { configCluster } from "../history.ts"
import { networkingObject } from "./manifests.ts"
import {
  accounts,
  apps,
  entries,
  entryHosts,
  machines,
  namespaces,
  networks,
  versions,
  zones
} from "./names.ts"
import type { World } from "./world.ts"

/** What may happen to machines and to the ServiceEntries that name or select them. */
export const machineChanges: ReadonlyArray<(world: World) => void> = [
  putMachine,
  putMachine,
  putEntry,
  putEntry,
  (world) => {
    const kind = world.random.pick(["WorkloadEntry", "ServiceEntry"])
    const identity = world.random.oneOf(world.identities(configCluster, kind))
    if (identity !== undefined) world.drop(configCluster, identity)
  }
]

/** A WorkloadEntry with any labels, address and health. */
export function putMachine(world: World): void {
  const { random } = world
  const health = random.pick([undefined, undefined, "True", "False"])
  world.put(
    configCluster,
    networkingObject(
      "WorkloadEntry",
      {
        name: random.pick(machines),
        namespace: random.pick(namespaces),
        creationTimestamp: world.someTime()
      },
      someMachine(world),
      health === undefined ? {} : { conditions: [{ type: "Healthy", status: health }] }
    )
  )
}

const someMachine = (world: World): object => {
  const { random } = world
  const network = random.pick(networks)
  return {
    // Sometimes a pod's.
    address: random.chance(0.9) ? `192.0.2.${1 + random.below(5)}` : `10.1.0.${1 + random.below(9)}`,
    labels: { app: random.pick(apps), version: random.pick(versions) },
    serviceAccount: random.pick(accounts),
    ...(random.chance(0.3) && { network }),
    ...(random.chance(0.3) && { weight: 1 + random.below(3) }),
    ...(random.chance(0.4) && { locality: random.pick(zones).join("/") }),
    ...(random.chance(0.2) && { ports: { http: 8180 } })
  }
}

/** A ServiceEntry with any hosts, resolution and endpoints, inline or selected. */
export function putEntry(world: World): void {
  const { random } = world
  const hosts = random.some(entryHosts, 0.4)
  const resolution = random.pick(["STATIC", "STATIC", "STATIC", "DNS", "NONE"])
  const selects = random.chance(0.6)
  const machine = () =>
    resolution === "DNS" ? { ...someMachine(world), address: "backend.corp.example" } : someMachine(world)
  world.put(
    configCluster,
    networkingObject(
      "ServiceEntry",
      { name: random.pick(entries), namespace: random.pick(namespaces), creationTimestamp: world.someTime() },
      {
        hosts: hosts.length > 0 ? hosts : [random.pick(entryHosts)],
        ports: [
          { number: 80, name: "http", protocol: "HTTP", ...(random.chance(0.3) && { targetPort: 8080 }) },
          ...(random.chance(0.4) ? [{ number: 9090, name: "grpc", protocol: "GRPC" }] : [])
        ],
        resolution,
        location: random.pick(["MESH_INTERNAL", "MESH_EXTERNAL"]),
        ...(random.chance(0.2) && { exportTo: [random.pick([".", "*", "shop"])] }),
        ...(random.chance(0.3) && { addresses: [`240.0.0.${1 + random.below(3)}`] }),
        ...(selects
          ? { workloadSelector: { labels: { app: random.pick(apps) } } }
          : { endpoints: Array.from({ length: random.below(3) }, machine) })
      }
    )
  )
}
