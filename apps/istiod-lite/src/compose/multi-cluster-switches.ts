import type { MeshConfigValue } from "@istiod-lite/model"
import { Effect } from "effect"
import { WrongUse } from "../query/query-error.ts"
import { namesApiServer, type SourceOptions } from "./source-options.ts"

/**
 * The switches of Multi-Cluster Services in the mesh configuration. Istio takes one that needs another for off where that
 * is off; here it is told.
 */
export const multiClusterSwitches = (
  options: SourceOptions
): Effect.Effect<
  Pick<MeshConfigValue, "clusterSetHosts" | "exportedServicesOnly" | "exportsServices" | "ownClusterHosts">,
  WrongUse
> => {
  const { mcsAutoExport = false, mcsClusterLocal, mcsHost, mcsServiceDiscovery } = options
  if (mcsHost && !mcsServiceDiscovery)
    return refuse(
      "--mcs-host (ENABLE_MCS_HOST) needs --mcs-service-discovery (ENABLE_MCS_SERVICE_DISCOVERY)."
    )
  if (mcsClusterLocal && !mcsHost)
    return refuse("--mcs-cluster-local (ENABLE_MCS_CLUSTER_LOCAL) needs --mcs-host (ENABLE_MCS_HOST).")
  if (mcsAutoExport && !namesApiServer(options))
    return refuse(
      "--mcs-auto-export (ENABLE_MCS_AUTO_EXPORT) writes to an API server: name one with --kubeconfig FILE, or --in-cluster."
    )
  return Effect.succeed({
    exportedServicesOnly: mcsServiceDiscovery,
    clusterSetHosts: mcsHost,
    ownClusterHosts: mcsClusterLocal,
    exportsServices: mcsAutoExport
  })
}

const refuse = (message: string) => Effect.fail(new WrongUse({ message }))
