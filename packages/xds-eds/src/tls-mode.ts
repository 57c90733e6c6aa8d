import { demandedTlsMode } from "@istiod-lite/mesh-policy"
import type { DestinationRule, Endpoint } from "@istiod-lite/model"
import type { PeerMode } from "./endpoint-view.ts"

/** Whether endpoints are called with mutual TLS: all that can, none, or those whose PeerAuthentication allows it. */
export type TlsDecision = "mutual" | "none" | "auto"

/** What the DestinationRule decides for a port or subset (S-65). */
export const tlsDecision = (rule: DestinationRule | undefined, port: number, subset: string): TlsDecision => {
  const mode = demandedTlsMode(rule, port, subset)
  return mode === undefined ? "auto" : mode === "ISTIO_MUTUAL" ? "mutual" : "none"
}

/** Whether this endpoint is called with mutual TLS (S-65); the PeerAuthentication of the endpoint's own port counts. */
export const usesMutualTls = (endpoint: Endpoint, decision: TlsDecision, peerMode: PeerMode): boolean =>
  endpoint.tlsMode === "istio" &&
  (decision === "mutual" || (decision === "auto" && peerMode(endpoint, endpoint.port) !== "DISABLE"))
