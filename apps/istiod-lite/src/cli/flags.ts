import { Config, Duration } from "effect"
import { Flag } from "effect/cli"

/** `ID=PATH` */
const readCluster = (text: string): { readonly id: string; readonly path: string } => {
  const equals = text.indexOf("=")
  if (equals < 1 || equals === text.length - 1) throw new Error("not ID=PATH")
  return { id: text.slice(0, equals), path: text.slice(equals + 1) }
}

/** Which API server, for reading and for writing. */
export const apiServerFlags = {
  kubeconfig: Flag.String("kubeconfig").pipe(
    Flag.withMetavar("FILE"),
    Flag.withDescription(
      "read the objects of the API server that this kubeconfig names, and of clusters its secrets name"
    ),
    Flag.optional
  ),
  context: Flag.String("context").pipe(
    Flag.withMetavar("NAME"),
    Flag.withDescription("context of the kubeconfig; default its current one"),
    Flag.optional
  ),
  inCluster: Flag.Boolean("in-cluster").pipe(
    Flag.withDescription(
      "read the API server of the cluster that this runs in, as the pod's service account"
    ),
    Flag.withDefault(false)
  )
}

/** A switch that Istio takes from its environment, which counts here, too. */
const istioSwitch = (name: string, variable: string, what: string) =>
  Flag.Boolean(name).pipe(
    Flag.withDescription(`${what}; default what ${variable} says, else off`),
    Flag.withFallbackConfig(Config.Boolean(variable)),
    Flag.withDefault(false)
  )

/** Multi-Cluster Services, as far as reading goes. */
const multiClusterFlags = {
  mcsServiceDiscovery: istioSwitch(
    "mcs-service-discovery",
    "ENABLE_MCS_SERVICE_DISCOVERY",
    "a service is for clients of its own cluster alone unless a ServiceExport names it"
  ),
  mcsHost: istioSwitch(
    "mcs-host",
    "ENABLE_MCS_HOST",
    "a service that a ServiceImport names has a host under svc.clusterset.local, too"
  ),
  mcsClusterLocal: istioSwitch(
    "mcs-cluster-local",
    "ENABLE_MCS_CLUSTER_LOCAL",
    "a service's own host leads to the client's cluster alone"
  )
}

/** Whether services are exported by themselves, which is written by `serve` alone. */
export const autoExportFlag = istioSwitch(
  "mcs-auto-export",
  "ENABLE_MCS_AUTO_EXPORT",
  "make a ServiceExport for every service that may leave its cluster"
)

/** What is read: the same for `serve` and for queries about files. */
export const sourceFlags = {
  manifests: Flag.String("manifests").pipe(
    Flag.withMetavar("PATH"),
    Flag.withDescription("objects to read: a file, a folder, or - for standard input; may be repeated"),
    Flag.atLeast(0)
  ),
  clusters: Flag.String("cluster").pipe(
    Flag.withMetavar("ID=PATH"),
    Flag.withDescription("objects of a further cluster; its folder may come and go; may be repeated"),
    Flag.mapTryCatch(readCluster, () => "Expected: ID=PATH, such as east=./east"),
    Flag.atLeast(0)
  ),
  configCluster: Flag.String("config-cluster").pipe(
    Flag.withMetavar("ID"),
    Flag.withDescription(
      "name of the cluster that --manifests describes, whose Istio objects count; default Kubernetes"
    ),
    Flag.withDefault("Kubernetes")
  ),
  meshConfig: Flag.String("mesh-config").pipe(
    Flag.withMetavar("FILE"),
    Flag.withDescription("Istio's MeshConfig"),
    Flag.optional
  ),
  meshNetworks: Flag.String("mesh-networks").pipe(
    Flag.withMetavar("FILE"),
    Flag.withDescription("Istio's mesh networks"),
    Flag.optional
  ),
  addressMode: Flag.Literals("address-mode", ["stable", "status", "istio-v1"]).pipe(
    Flag.withDescription(
      "automatic addresses of ServiceEntries: stable (a host keeps its address), status (what status.addresses " +
        "says), istio-v1 (as Istio computes them in memory); default stable for files, status with an API server"
    ),
    Flag.optional
  ),
  addressState: Flag.String("address-state").pipe(
    Flag.withMetavar("FILE"),
    Flag.withDescription(
      "with --address-mode status: gives addresses as Istio's allocator does, and keeps them in this file"
    ),
    Flag.optional
  ),
  ...multiClusterFlags,
  ...apiServerFlags,
  systemNamespace: Flag.String("system-namespace").pipe(
    Flag.withMetavar("NAMESPACE"),
    Flag.withDescription(
      "where the mesh's ConfigMap, secrets of further clusters and the Lease are; default istio-system"
    ),
    Flag.withDefault("istio-system")
  ),
  clusterTimeout: Flag.Int("cluster-timeout").pipe(
    Flag.withMetavar("SECONDS"),
    Flag.withDescription("how long a further cluster that does not answer may hold up readiness; default 30"),
    Flag.filter(
      (seconds) => seconds > 0,
      () => "Expected: 1 or more"
    ),
    Flag.withDefault(30),
    Flag.map(Duration.seconds)
  ),
  allowInSecrets: Flag.Literals("allow-in-secrets", [
    "exec",
    "tokenFile",
    "clientCertificate",
    "clientKey"
  ]).pipe(
    Flag.withDescription(
      "what kubeconfigs in secrets of further clusters may have although it runs programs or reads files here; " +
        "may be repeated; default nothing"
    ),
    Flag.atLeast(0)
  )
}

/** How an answer is printed. */
export const outputFlag = Flag.Literals("output", ["table", "json", "yaml"]).pipe(
  Flag.withAlias("o"),
  Flag.withDescription("for people (table) or for programs (json, yaml); default table"),
  Flag.withDefault("table")
)

/** The last moment of a recording that counts. */
export const untilFlag = Flag.String("until").pipe(
  Flag.withMetavar("TIME"),
  Flag.withDescription(
    "moment in a recording: 14:03 (local, of its last day), 14:03:20.5, or 2026-11-30T14:03:00Z"
  ),
  Flag.optional
)

/** Where a query asks, and how it answers. */
export const queryFlags = {
  ...sourceFlags,
  server: Flag.String("server").pipe(
    Flag.withMetavar("URL"),
    Flag.withDescription("admin address of a running control plane; default http://127.0.0.1:15014"),
    Flag.optional
  ),
  replay: Flag.String("replay").pipe(
    Flag.withMetavar("FILE"),
    Flag.withDescription("answer from a recording of serve --record, as of its end or of --until"),
    Flag.optional
  ),
  until: untilFlag,
  output: outputFlag
}
