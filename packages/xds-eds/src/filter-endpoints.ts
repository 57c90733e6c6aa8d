import { isIP } from "node:net"
import type { Endpoint, EndpointGroup } from "@istiod-lite/model"
import type { EndpointView } from "./endpoint-view.ts"
import type { ExclusionReason } from "./exclusion.ts"

/** A workload says with this label that it wants to be drained, whatever its object's conditions say. */
const drainingLabel = "istio.io/draining"

export const isDraining = (endpoint: Endpoint): boolean =>
  endpoint.health === "DRAINING" || Boolean(endpoint.labels[drainingLabel])

/** The address that identifies an endpoint; empty behind a gateway. */
export const firstAddress = (endpoint: Endpoint): string => endpoint.addresses[0] ?? ""

/** The cluster of a group's shard (S-61). */
const shardCluster = (group: EndpointGroup): string => group.shard.slice(group.shard.indexOf("/") + 1)

/**
 * Why the endpoint is not for this view, or undefined if it is: the filters of S-62 in their order, the first that
 * applies. What only shows when endpoints are put together (other networks, equal addresses) is not decided here.
 */
export const exclusionOf = (
  endpoint: Endpoint,
  group: EndpointGroup,
  view: EndpointView
): ExclusionReason | undefined =>
  wrongPort(endpoint, view) ??
  notAnIp(endpoint) ??
  otherSubset(endpoint, view) ??
  otherNode(endpoint, group, view) ??
  networkNotRequested(endpoint, view) ??
  otherCluster(endpoint, group, view) ??
  notDiscoverable(endpoint, view) ??
  noAddress(endpoint, view) ??
  unusable(endpoint, view)

const wrongPort = (endpoint: Endpoint, view: EndpointView): ExclusionReason | undefined =>
  endpoint.servicePortName === view.port
    ? undefined
    : { _tag: "OtherPort", wanted: view.port, actual: endpoint.servicePortName }

/** Port 0 is a unix socket; without an address a gateway may still lead there. */
const notAnIp = (endpoint: Endpoint): ExclusionReason | undefined => {
  const address = firstAddress(endpoint)
  return address === "" || endpoint.port === 0 || isIP(address) !== 0
    ? undefined
    : { _tag: "NotAnIp", address }
}

const otherSubset = (endpoint: Endpoint, { subset }: EndpointView): ExclusionReason | undefined => {
  if (subset === undefined) return undefined
  for (const label in subset.labels) {
    const wanted = subset.labels[label] ?? ""
    const actual = endpoint.labels[label]
    if (actual !== wanted) return { _tag: "OtherSubset", subset: subset.name, label, wanted, actual }
  }
  return undefined
}

const otherNode = (
  endpoint: Endpoint,
  group: EndpointGroup,
  view: EndpointView
): ExclusionReason | undefined => {
  if (view.onlyNode === undefined) return undefined
  const cluster = shardCluster(group)
  if (cluster !== view.cluster)
    return { _tag: "OtherCluster", because: "nodeLocal", proxyCluster: view.cluster, cluster }
  if (endpoint.node !== view.onlyNode)
    return { _tag: "OtherNode", proxyNode: view.onlyNode, node: endpoint.node }
  return undefined
}

/** An endpoint without a network is in every view. */
const networkNotRequested = (endpoint: Endpoint, view: EndpointView): ExclusionReason | undefined =>
  view.networkView === undefined || endpoint.network === "" || view.networkView.has(endpoint.network)
    ? undefined
    : {
        _tag: "NetworkNotRequested",
        requested: [...view.networkView].toSorted(),
        network: endpoint.network
      }

const otherCluster = (
  endpoint: Endpoint,
  group: EndpointGroup,
  view: EndpointView
): ExclusionReason | undefined => {
  if (!view.clusterLocal) return undefined
  const cluster = endpoint.cluster === view.cluster ? shardCluster(group) : endpoint.cluster
  if (cluster === view.cluster) return undefined
  return { _tag: "OtherCluster", because: "clusterLocal", proxyCluster: view.cluster, cluster }
}

/** A proxy or endpoint that names no cluster is taken to be in the same one. */
const notDiscoverable = (endpoint: Endpoint, view: EndpointView): ExclusionReason | undefined => {
  if (endpoint.discoverability !== "DiscoverableFromSameCluster") return undefined
  const { cluster } = endpoint
  if (cluster === "" || view.cluster === "" || cluster === view.cluster) return undefined
  return { _tag: "OtherCluster", because: "discoverability", proxyCluster: view.cluster, cluster }
}

/** With gateways known it is decided later whether one of them leads to the endpoint (S-64, D-11). */
const noAddress = (endpoint: Endpoint, view: EndpointView): ExclusionReason | undefined =>
  firstAddress(endpoint) === "" && !view.multiNetwork
    ? { _tag: "NoAddress", network: endpoint.network }
    : undefined

const unusable = (endpoint: Endpoint, view: EndpointView): ExclusionReason | undefined => {
  if (endpoint.health === "UNHEALTHY" && view.unhealthyKeptBack !== undefined)
    return { _tag: "Unhealthy", because: view.unhealthyKeptBack }
  if (endpoint.health === "TERMINATING") return { _tag: "Terminating" }
  return isDraining(endpoint) && !view.sendsDraining ? { _tag: "Draining" } : undefined
}
