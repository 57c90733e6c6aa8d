import {
  augmentLabels,
  formatLocality,
  type IpMode,
  ipModeOf,
  Label,
  type Labels,
  type Locality,
  localityOfLabels,
  noLabels,
  parseLocality,
  type Proxy
} from "@istiod-lite/model"
import type { SidecarScope } from "./sidecar-scope.ts"

/** A proxy as policies see it: what it says of itself, with what the registries know of its workload. */
export interface ProxyView {
  readonly proxy: Proxy
  /** its workload's, with where it runs (S-5, S-51) */
  readonly labels: Labels
  readonly locality: Locality
  readonly ipMode: IpMode
  readonly scope: SidecarScope
}

/** Marks a proxy whose own labels count, whatever a registry knows at its address. */
const virtualMachineLabel = "istio.io/test-vm"

/** Node metadata's STATIC_LABELS: what an operator adds to a proxy beside its workload's labels. */
const staticLabels = ({ metadata }: Proxy): Labels => {
  const labels = metadata["STATIC_LABELS"]
  if (typeof labels !== "object" || labels === null) return noLabels
  return Object.fromEntries(
    Object.entries(labels).flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : []))
  )
}

const ownLabels = (proxy: Proxy, known: Labels | undefined): Labels =>
  known === undefined || proxy.labels[virtualMachineLabel]
    ? proxy.labels
    : { ...staticLabels(proxy), ...known }

const localityOf = (labels: Labels, said: Locality): Locality => {
  const region = labels[Label.region]
  const zone = labels[Label.zone]
  const subzone = labels[Label.subzone]
  if (region !== undefined || zone !== undefined || subzone !== undefined) {
    return { region: region ?? "", zone: zone ?? "", subzone: subzone ?? "" }
  }
  const label = localityOfLabels(labels)
  return label === undefined ? said : parseLocality(label)
}

/**
 * What is known of a proxy's workload (S-51). Labels: the registries' over its static ones; its own if they know
 * nothing of it. Locality: the topology labels, then the locality label, then what the stream said.
 *
 * @param known labels of the workload in the registries
 *
 * Source: istio pilot/pkg/xds/ads.go (setTopologyLabels), pilot/pkg/model/context.go (SetWorkloadLabels).
 */
export const placeProxy = (
  proxy: Proxy,
  known: Labels | undefined
): Pick<ProxyView, "ipMode" | "labels" | "locality"> => {
  const own = ownLabels(proxy, known)
  const locality = localityOf(own, proxy.locality)
  const labels = augmentLabels(own, {
    cluster: proxy.cluster,
    locality: formatLocality(locality),
    network: proxy.network,
    node: proxy.node
  })
  return { ipMode: ipModeOf(proxy.ips), labels, locality }
}
