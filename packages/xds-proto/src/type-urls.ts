/**
 * The type URLs of the resources that a mesh control plane serves, as they stand in `DiscoveryRequest.type_url`.
 *
 * Source: xDS protocol, "Resource Types"; Istio's own types for its DNS table, workload health and debug queries (S-80).
 */

const prefix = "type.googleapis.com/"

/** CDS */
export const clusterTypeUrl = `${prefix}envoy.config.cluster.v3.Cluster`
/** EDS */
export const endpointTypeUrl = `${prefix}envoy.config.endpoint.v3.ClusterLoadAssignment`
/** LEDS: single endpoints of large assignments */
export const lbEndpointTypeUrl = `${prefix}envoy.config.endpoint.v3.LbEndpoint`
/** LDS */
export const listenerTypeUrl = `${prefix}envoy.config.listener.v3.Listener`
/** RDS */
export const routeTypeUrl = `${prefix}envoy.config.route.v3.RouteConfiguration`
/** NDS: the DNS table that Istio's agent answers from (S-70). */
export const nameTableTypeUrl = `${prefix}istio.networking.nds.v1.NameTable`
/** Sent by the client: the health of its own workload. */
export const healthInformationTypeUrl = `${prefix}istio.v1.HealthInformation`
/** Istio's debug queries over xDS. */
export const debugTypeUrl = "istio.io/debug"

/** The full message name of a type URL: what stands behind the last slash. */
export const messageNameOf = (typeUrl: string): string => typeUrl.slice(typeUrl.lastIndexOf("/") + 1)
