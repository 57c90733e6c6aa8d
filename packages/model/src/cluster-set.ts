/** Kubernetes' Multi-Cluster Services (KEP-1645), as far as Istio has them. */
import { kubeHostname } from "./hostname.ts"
import type { MeshConfigValue } from "./mesh-config.ts"

type Switches = Pick<MeshConfigValue, "exportedServicesOnly" | "clusterSetHosts" | "ownClusterHosts">

/** The domain of the hosts that are the same in all clusters of a set. */
const clusterSetDomain = "clusterset.local"

/** The host by which a Service is known in all clusters that import it. */
export const clusterSetHostname = (name: string, namespace: string): string =>
  kubeHostname(name, namespace, clusterSetDomain)

/** Whether it is a host of the cluster set. */
export const isClusterSetHost = (hostname: string): boolean => hostname.endsWith(`.${clusterSetDomain}`)

/** Whether there are hosts of the cluster set: one switch needs the other, as in Istio. */
export const hasClusterSetHosts = ({ clusterSetHosts, exportedServicesOnly }: Switches): boolean =>
  exportedServicesOnly && clusterSetHosts

/** Whether Services' own hosts lead to the client's cluster alone: one switch needs the others, as in Istio. */
export const hasOwnClusterHosts = (mesh: Switches): boolean =>
  hasClusterSetHosts(mesh) && mesh.ownClusterHosts
