import type { NodeIdentity } from "@istiod-lite/model"
import { clusters, type SimulatedClient } from "../history.ts"
import type { SeededRandom } from "../random.ts"
import { accounts, apps, hosts, namespaces, networks, rootNamespace, versions, zones } from "./names.ts"

/** All names of clusters that a client may think of, whether or not there is such a service. */
const clusterNames: ReadonlyArray<string> = hosts.flatMap((host) => [
  `outbound|80||${host}`,
  `outbound|9090||${host}`,
  `outbound|80|v1|${host}`
])

/** One client that keeps its names, and one that follows what it sees, of any kind and place. */
export const someClients = (random: SeededRandom): ReadonlyArray<SimulatedClient> =>
  [false, true].map((follows) => ({
    node: someNode(random),
    delta: random.chance(0.5),
    names: random.some(clusterNames, follows ? 0.1 : 0.35),
    follows
  }))

const someNode = (random: SeededRandom): NodeIdentity => {
  const [region, zone] = random.pick(zones)
  const locality = random.chance(0.5) ? { locality: { region, zone } } : {}
  const network = random.pick(networks)
  const metadata = {
    CLUSTER_ID: random.pick(clusters),
    LABELS: { app: random.pick(apps), version: random.pick(versions) },
    SERVICE_ACCOUNT: random.pick(accounts),
    ...(network !== "" && { NETWORK: network })
  }
  if (random.chance(0.1)) return { id: "plain-client", metadata: {}, ...locality }
  if (random.chance(0.15)) {
    return {
      id: `router~10.1.0.250~gateway-1.${rootNamespace}~${rootNamespace}.svc.cluster.local`,
      metadata,
      ...locality
    }
  }
  const namespace = random.pick(namespaces)
  // A pod that the meshes have at times, or a machine by its address.
  const [name, ip] = random.chance(0.8)
    ? [`app-${random.below(5)}`, `10.1.0.${1 + random.below(9)}`]
    : ["vm", `192.0.2.${1 + random.below(5)}`]
  return { id: `sidecar~${ip}~${name}.${namespace}~${namespace}.svc.cluster.local`, metadata, ...locality }
}
