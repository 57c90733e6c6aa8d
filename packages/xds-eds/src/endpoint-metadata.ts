import {
  canonicalName,
  canonicalRevision,
  isIpv6,
  Label,
  type Endpoint,
  type Labels
} from "@istiod-lite/model"

/** Who serves an endpoint, as telemetry calls it. */
export type WorkloadMetadata = readonly [
  workload: string,
  namespace: string,
  canonicalName: string,
  canonicalRevision: string,
  cluster: string
]

/**
 * What clients copy into their telemetry when the call itself cannot tell (S-66), joined by semicolons on the wire.
 * The revision `latest` is what an empty one means, so it is not sent.
 */
export const workloadMetadata = ({
  cluster,
  labels,
  namespace,
  workloadName
}: Endpoint): WorkloadMetadata => {
  const revision = canonicalRevision(labels)
  const name = canonicalName(labels, workloadName)
  return [workloadName, namespace, name, revision === "latest" ? "" : revision, cluster]
}

/** A gateway knows no more than its cluster, and not even that if it comes from the mesh networks settings. */
export const gatewayMetadata = (cluster: string): WorkloadMetadata => ["", "", "", "", cluster]

const managedLabel = "gateway.istio.io/managed"
const managedByMesh = "istio.io-mesh-controller"

/** Whether the workload speaks HBONE: by its label, a comma-separated list, or because the mesh manages it as a waypoint. */
export const speaksTunnel = (labels: Labels): boolean =>
  labels[managedLabel] === managedByMesh || (labels[Label.tunnel]?.split(",").includes("http") ?? false)

/** `host:port`, with brackets around an IPv6 address. */
export const hostPort = (host: string, port: number): string =>
  isIpv6(host) ? `[${host}]:${port}` : `${host}:${port}`
