import { isClusterLocal } from "@istiod-lite/mesh-policy"
import {
  type ClusterWriters,
  type DiscoveryGraph,
  type Leadership,
  type MeshConfig,
  type ObjectSource,
  type ObjectWriter
} from "@istiod-lite/model"
import { layerAutoExport } from "@istiod-lite/registry-kube"
import { layerStatusWriter } from "@istiod-lite/registry-serviceentry"
import { type ConfigClusterClient, layerLeadership, layerProxyAuthenticator } from "@istiod-lite/source-kube"
import { layerWorkloadRegistration, type WorkloadRegistration } from "@istiod-lite/workload-registration"
import { type Duration, Layer } from "effect"
import { randomUUID } from "node:crypto"
import { hostname } from "node:os"

/** What a control plane does at an API server besides reading. */
export interface MachineOptions {
  readonly systemNamespace: string
  /** how long a machine may be away before its entry goes */
  readonly gracePeriod: Duration.Input
}

/** A pod's name is unique; elsewhere several of us may run on one host. */
const identityOfReplica = (): string =>
  process.env.POD_NAME ?? `${hostname().toLowerCase()}-${randomUUID().slice(0, 8)}`

/**
 * The writers: machines that register themselves, and whatever only the leader does. Proxies are believed by certificate
 * or token from here on.
 */
export const layerMachines = ({
  gracePeriod,
  systemNamespace
}: MachineOptions): Layer.Layer<
  WorkloadRegistration | Leadership,
  never,
  ClusterWriters | ConfigClusterClient | DiscoveryGraph | MeshConfig | ObjectSource | ObjectWriter
> =>
  Layer.mergeAll(
    layerWorkloadRegistration({ gracePeriod }),
    layerProxyAuthenticator(),
    layerStatusWriter(),
    layerAutoExport({ isClusterLocal })
  ).pipe(Layer.provideMerge(layerLeadership({ namespace: systemNamespace, identity: identityOfReplica() })))
