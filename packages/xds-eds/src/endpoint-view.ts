import type { Labels, MutualTlsMode } from "@istiod-lite/model"
import type { TlsDecision } from "./tls-mode.ts"

/** The effective mutual TLS mode that PeerAuthentication demands of a workload's port. */
export type PeerMode = (
  workload: { readonly namespace: string; readonly labels: Labels },
  port: number
) => MutualTlsMode

/**
 * Everything but the endpoint itself that decides whether an endpoint is sent and how it is written, as far as one
 * proxy's cluster needs it. Proxies with equal views share the encoded endpoints.
 */
export interface EndpointView {
  /** name of the service port */
  readonly port: string
  /** undefined = all */
  readonly subset: { readonly name: string; readonly labels: Labels } | undefined
  /** the proxy's node if the service is node-local (S-12) */
  readonly onlyNode: string | undefined
  /** the service stays in its cluster (S-52) */
  readonly clusterLocal: boolean
  /** the proxy's cluster and network */
  readonly cluster: string
  readonly network: string
  /** networks that the proxy asked for; undefined = all */
  readonly networkView: ReadonlySet<string> | undefined
  /** some network gateway is known, so that an endpoint without address may still be reached (S-64) */
  readonly multiNetwork: boolean
  /** undefined = they are sent */
  readonly unhealthyKeptBack: "switchedOff" | "minHealthPercent" | undefined
  readonly sendsDraining: boolean
  readonly tls: TlsDecision
  readonly peerMode: PeerMode
  /** the proxy can tunnel (S-66) */
  readonly tunnels: boolean
  /** further addresses are sent (S-68) */
  readonly dualStack: boolean
}

/**
 * A text that is equal for views that send the same endpoints the same way. `peerMode` is a function and has no text:
 * where it matters (`tls` is `auto`) the caller adds which one it is.
 */
export const viewKey = (view: EndpointView): string => {
  const subset = view.subset === undefined ? "" : `${view.subset.name}${labelsKey(view.subset.labels)}`
  const networks = view.networkView === undefined ? "*" : [...view.networkView].toSorted().join()
  const flags =
    (view.clusterLocal ? 1 : 0) +
    (view.multiNetwork ? 2 : 0) +
    (view.sendsDraining ? 4 : 0) +
    (view.tunnels ? 8 : 0) +
    (view.dualStack ? 16 : 0)
  const unhealthy = view.unhealthyKeptBack ?? ""
  // The network matters to the filters only where an endpoint without address may be reached through a gateway.
  const network = view.multiNetwork ? view.network : ""
  return `${view.port}|${subset}|${view.onlyNode ?? "*"}|${view.cluster}|${network}|${networks}|${flags}|${unhealthy}|${view.tls}`
}

const labelsKey = (labels: Labels): string =>
  JSON.stringify(Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1)))
