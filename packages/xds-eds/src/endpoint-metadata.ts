import {
  canonicalName,
  canonicalRevision,
  isIpv6,
  Label,
  type Endpoint,
  type Labels
} from "@istiod-lite/model"

/**
 * `workload;namespace;canonical name;canonical revision;cluster`, which clients copy into their telemetry when the
 * call itself cannot tell (S-66). The revision `latest` is what an empty one means, so it is not sent.
 */
export const workloadMetadata = (endpoint: Endpoint): string => {
  const revision = canonicalRevision(endpoint.labels)
  const name = canonicalName(endpoint.labels, endpoint.workloadName)
  return `${endpoint.workloadName};${endpoint.namespace};${name};${revision === "latest" ? "" : revision};${endpoint.cluster}`
}

/** A gateway knows no more than its cluster, and not even that if it comes from the mesh networks settings. */
export const gatewayMetadata = (cluster: string): string => `;;;;${cluster}`

const managedLabel = "gateway.istio.io/managed"
const managedByMesh = "istio.io-mesh-controller"

/** Whether the workload speaks HBONE: by its label, a comma-separated list, or because the mesh manages it as a waypoint. */
export const speaksTunnel = (labels: Labels): boolean =>
  labels[managedLabel] === managedByMesh || (labels[Label.tunnel]?.split(",").includes("http") ?? false)

/** `host:port`, with brackets around an IPv6 address. */
export const hostPort = (host: string, port: number): string =>
  isIpv6(host) ? `[${host}]:${port}` : `${host}:${port}`
