import { isWildcard, type ProxyType, type Service } from "@istiod-lite/model"
import { outboundCluster } from "./cluster-name.ts"
import type { MergedDestinationRule } from "./destination-rules.ts"
import { effectivePolicy } from "./traffic-policy.ts"

/**
 * Whether clients get a service's endpoints by EDS (S-50). Services whose resolution is the client's own
 * destination: only where there is no original destination, on gateways and plain clients. A proxyless gRPC client
 * knows no other kind of cluster.
 *
 * Source: istio pilot/pkg/networking/core/cluster.go (convertResolution), networking/grpcgen/cds.go.
 */
const isDiscovered = ({ hostname, resolution }: Service, type: ProxyType): boolean => {
  if (resolution === "alias") return false
  if (type === "grpc" || resolution === "clientSideLB") return true
  if (resolution === "passthrough") return type !== "sidecar"
  return resolution === "dynamicDNS" && !isWildcard(hostname)
}

const isPassthrough = (merged: MergedDestinationRule | undefined, port: number, subset: string): boolean =>
  effectivePolicy(merged?.rule, port, subset).passthrough === true

/**
 * The subsets of a port that have a cluster, the whole service as the empty name. Where a rule passes traffic through
 * there is nothing to discover: of the whole port if it says so for the port, else of a subset.
 */
const discoveredSubsets = (
  merged: MergedDestinationRule | undefined,
  port: number,
  type: ProxyType
): ReadonlyArray<string> => {
  const subsets = ["", ...(merged?.rule.subsets.map(({ name }) => name) ?? [])]
  if (type === "grpc") return subsets
  if (isPassthrough(merged, port, "")) return []
  return subsets.filter((subset) => !isPassthrough(merged, port, subset))
}

/**
 * The names of a service's EDS clusters for one kind of proxy (S-50): each port that is not UDP, and each subset.
 *
 * @param sniDnat whether the proxy is a gateway that forwards by TLS server name, which has a second set of clusters
 * for the services of the mesh
 */
export const clustersOfService = (
  service: Service,
  type: ProxyType,
  merged: MergedDestinationRule | undefined,
  sniDnat: boolean
): ReadonlyArray<string> => {
  if (!isDiscovered(service, type)) return []
  const forms = sniDnat && !service.meshExternal ? [false, true] : [false]
  return service.ports
    .filter(({ protocol }) => protocol !== "UDP")
    .flatMap(({ number }) =>
      discoveredSubsets(merged, number, type).flatMap((subset) =>
        forms.map((form) => outboundCluster(service.hostname, number, subset, form))
      )
    )
}
