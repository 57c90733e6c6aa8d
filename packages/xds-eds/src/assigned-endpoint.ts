import {
  type Endpoint,
  effectiveWeight,
  type Health,
  type Labels,
  type Locality,
  type NetworkGateway
} from "@istiod-lite/model"
import { firstAddress, isDraining } from "./filter-endpoints.ts"
import type { EndpointView } from "./endpoint-view.ts"
import type { Exclusion } from "./exclusion.ts"
import { hostPort, speaksTunnel, type WorkloadMetadata, workloadMetadata } from "./endpoint-metadata.ts"
import { sentTlsMode } from "./tls-mode.ts"

/** Where connections go: an IP and port, a unix socket, or the client's own listener that tunnels to `host:port`. */
export type EndpointAddress =
  | { readonly kind: "socket"; readonly address: string; readonly port: number }
  | { readonly kind: "pipe"; readonly path: string }
  | { readonly kind: "tunnel"; readonly target: string }

/** One endpoint as a proxy is told of it (envoy.config.endpoint.v3.LbEndpoint). */
export interface AssignedEndpoint {
  readonly address: EndpointAddress
  /** further addresses at the same port (S-68) */
  readonly additionalAddresses: ReadonlyArray<string>
  readonly health: Health
  /** 1 … 2³²−1 */
  readonly weight: number
  /** by which the client matches a transport socket; empty is plain text (S-65) */
  readonly tlsMode: string
  /** `istio` metadata for telemetry (S-66) */
  readonly workload: WorkloadMetadata
  /** for failover priorities (S-67) */
  readonly labels: Labels
  /** what it stands for: a workload's endpoint, or the gateway of another network (S-64) */
  readonly source: Endpoint | NetworkGateway
}

/** Endpoints of one locality and priority (envoy.config.endpoint.v3.LocalityLbEndpoints). */
export interface AssignedLocality {
  readonly locality: Locality
  /** 0 is tried first; no number below the highest is left out */
  readonly priority: number
  /** 1 … 2³²−1; undefined where all endpoints were taken out (S-64) */
  readonly weight: number | undefined
  readonly endpoints: ReadonlyArray<AssignedEndpoint>
}

/** One step of building an assignment: what goes on, and what it left out. */
export interface Step {
  readonly localities: ReadonlyArray<AssignedLocality>
  readonly excluded: ReadonlyArray<Exclusion>
}

/** Whether an endpoint stands for a gateway of another network rather than for a workload. */
export const isGateway = (source: Endpoint | NetworkGateway): source is NetworkGateway => "address" in source

const unixPrefix = "unix://"

const addressOf = (endpoint: Endpoint, tunnel: boolean): EndpointAddress => {
  const address = firstAddress(endpoint)
  if (tunnel) return { kind: "tunnel", target: hostPort(address, endpoint.port) }
  if (endpoint.port !== 0) return { kind: "socket", address, port: endpoint.port }
  return { kind: "pipe", path: address.startsWith(unixPrefix) ? address.slice(unixPrefix.length) : address }
}

const none: ReadonlyArray<string> = []

/** The endpoint as this view is told of it. Mutual TLS wins over the tunnel: who speaks it needs none (S-66). */
export const assignEndpoint = (endpoint: Endpoint, view: EndpointView): AssignedEndpoint => {
  const tunnel = view.tunnels && endpoint.tlsMode !== "istio" && speaksTunnel(endpoint.labels)
  return {
    address: addressOf(endpoint, tunnel),
    additionalAddresses:
      view.dualStack && !tunnel && endpoint.addresses.length > 1 ? endpoint.addresses.slice(1) : none,
    health: isDraining(endpoint) ? "DRAINING" : endpoint.health,
    weight: effectiveWeight(endpoint),
    tlsMode: sentTlsMode(endpoint, view.tls, view.peerMode),
    workload: workloadMetadata(endpoint),
    labels: endpoint.labels,
    source: endpoint
  }
}
