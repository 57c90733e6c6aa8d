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
  /** the proxy's */
  readonly cluster: string
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
 * where it matters (`tls` is `auto`) the caller compares it.
 *
 * @param hasRestricted whether some of the endpoints are for proxies of their own cluster only
 */
export const viewKey = (view: EndpointView, hasRestricted: boolean): string => {
  const { clusterLocal, onlyNode, port, tls, unhealthyKeptBack } = view
  const subset = view.subset === undefined ? "" : `${view.subset.name}${labelsKey(view.subset.labels)}`
  const networks = view.networkView === undefined ? "*" : [...view.networkView].toSorted().join()
  const cluster = clusterLocal || onlyNode !== undefined || hasRestricted ? view.cluster : "*"
  const flags =
    (clusterLocal ? 1 : 0) +
    (view.multiNetwork ? 2 : 0) +
    (view.sendsDraining ? 4 : 0) +
    (view.tunnels ? 8 : 0) +
    (view.dualStack ? 16 : 0)
  return [port, subset, onlyNode ?? "*", cluster, networks, flags, unhealthyKeptBack, tls].join("|")
}

const labelsKey = (labels: Labels): string =>
  JSON.stringify(Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1)))
