import { isSubsetOf, type MeshConfigValue } from "@istiod-lite/model"
import { mostSpecificHost } from "./host-match.ts"
import { memoOne } from "./identity-memo.ts"

/** Hosts that stay in their cluster unless the mesh configuration says otherwise (S-52). */
const defaultHosts = ({ discoveryHost, domainSuffix }: MeshConfigValue): ReadonlyArray<string> => [
  `*.kube-system.svc.${domainSuffix}`,
  `kubernetes.default.svc.${domainSuffix}`,
  discoveryHost.endsWith(domainSuffix) ? discoveryHost : `${discoveryHost}.${domainSuffix}`
]

/**
 * Host pattern → whether it is cluster-local. A setting that says false for a host under a default takes the
 * default away as a whole: `clusterLocal: false` for one host of kube-system frees all of kube-system.
 */
const clusterLocalHosts = memoOne((mesh: MeshConfigValue): ReadonlyMap<string, boolean> => {
  const settings = mesh.serviceSettings.flatMap(({ clusterLocal, hosts }) =>
    hosts.map((host) => ({ clusterLocal, host }))
  )
  const kept = defaultHosts(mesh).filter(
    (host) => !settings.some((setting) => !setting.clusterLocal && isSubsetOf(setting.host, host))
  )
  const hosts = new Map(settings.map(({ clusterLocal, host }) => [host, clusterLocal]))
  for (const host of kept) hosts.set(host, true)
  return hosts
})

/**
 * Whether only clients of the same cluster may see the endpoints of a host (S-52): the most specific host of the
 * settings and the defaults decides.
 *
 * Source: istio pilot/pkg/model/cluster_local.go.
 */
export const isClusterLocal = (mesh: MeshConfigValue, hostname: string): boolean => {
  const hosts = clusterLocalHosts(mesh)
  const exact = hosts.get(hostname)
  if (exact !== undefined) return exact
  const host = mostSpecificHost(hostname, hosts.keys())
  return host !== undefined && hosts.get(host) === true
}
