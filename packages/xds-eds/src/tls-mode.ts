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

/**
 * The TLS mode by which clients match their transport socket, or an empty text for plain text (S-65): the endpoint's
 * own, which users may have named themselves; the PeerAuthentication of the endpoint's own port counts.
 */
export const sentTlsMode = (endpoint: Endpoint, decision: TlsDecision, peerMode: PeerMode): string => {
  const { tlsMode } = endpoint
  if (decision === "mutual") return tlsMode === "disabled" ? "" : tlsMode
  return decision === "auto" && tlsMode === "istio" && peerMode(endpoint, endpoint.port) !== "DISABLE"
    ? tlsMode
    : ""
}

/** Whether it is Istio's mutual TLS, by which gateways tell networks apart (S-64). */
export const isMutualTls = (tlsMode: string): boolean => tlsMode === "istio"
