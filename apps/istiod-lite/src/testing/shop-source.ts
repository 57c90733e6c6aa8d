import { Duration, Option } from "effect"
import { fileSource } from "../compose/file-source.ts"
import type { SourceOptions } from "../compose/source-options.ts"
import { shop } from "./run-cli.ts"

/** The example mesh as files, for compositions in tests. */
export const shopOptions: SourceOptions = {
  manifests: [shop],
  clusters: [],
  configCluster: "Kubernetes",
  meshConfig: Option.none(),
  meshNetworks: Option.none(),
  addressMode: Option.some("stable"),
  mcsServiceDiscovery: false,
  mcsHost: false,
  mcsClusterLocal: false,
  addressState: Option.none(),
  kubeconfig: Option.none(),
  context: Option.none(),
  inCluster: false,
  systemNamespace: "istio-system",
  clusterTimeout: Duration.seconds(30),
  allowInSecrets: []
}

/** The same as a source that is read once. */
export const shopSource = fileSource(shopOptions, false)
