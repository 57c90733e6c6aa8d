import type { AddressMode } from "@istiod-lite/model"
import { type Duration, Option } from "effect"

/** The source flags as they were given. */
export interface SourceOptions {
  readonly manifests: ReadonlyArray<string>
  readonly clusters: ReadonlyArray<{ readonly id: string; readonly path: string }>
  readonly configCluster: string
  readonly meshConfig: Option.Option<string>
  readonly meshNetworks: Option.Option<string>
  readonly addressMode: Option.Option<AddressMode>
  /** ENABLE_MCS_SERVICE_DISCOVERY, ENABLE_MCS_HOST, ENABLE_MCS_CLUSTER_LOCAL: each needs the one before it */
  readonly mcsServiceDiscovery: boolean
  readonly mcsHost: boolean
  readonly mcsClusterLocal: boolean
  /** ENABLE_MCS_AUTO_EXPORT; left out by what only reads */
  readonly mcsAutoExport?: boolean
  /** keeps the automatic addresses that our own allocator gives, in mode `status` */
  readonly addressState: Option.Option<string>
  /** the file with the credentials of the configuration cluster's API server */
  readonly kubeconfig: Option.Option<string>
  /** which context of it; the current one if it is left out */
  readonly context: Option.Option<string>
  /** the credentials are those of the pod that this process runs in */
  readonly inCluster: boolean
  /** where Istio's ConfigMap, the secrets of further clusters and the Lease are */
  readonly systemNamespace: string
  /** how long a further cluster may hold up readiness */
  readonly clusterTimeout: Duration.Duration
  /** settings of kubeconfigs in secrets that run programs or read files here, and may all the same */
  readonly allowInSecrets: ReadonlyArray<string>
}

/** Whether files were named. */
export const namesFiles = ({ clusters, manifests }: SourceOptions): boolean =>
  manifests.length + clusters.length > 0

/** Whether an API server was named. */
export const namesApiServer = ({ inCluster, kubeconfig }: SourceOptions): boolean =>
  inCluster || Option.isSome(kubeconfig)

/** Whether anything was named from which objects can be read. */
export const namesObjects = (options: SourceOptions): boolean =>
  namesFiles(options) || namesApiServer(options)
