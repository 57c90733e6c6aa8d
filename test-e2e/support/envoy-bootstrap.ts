/** How Envoy asks for its configuration. */
export type XdsKind = "GRPC" | "DELTA_GRPC"

/** What an Envoy under test is told; everything else it learns over ADS. */
export interface EnvoyOptions {
  readonly nodeId: string
  readonly xds: XdsKind
  readonly xdsPort: number
  readonly adminPort: number
  readonly listenPort: number
  /** Value of the Host header → name of the EDS cluster that requests with it go to. */
  readonly routes: Readonly<Record<string, string>>
  /** further node metadata */
  readonly metadata?: Readonly<Record<string, string>>
}

const socket = (port: number): object => ({ socket_address: { address: "127.0.0.1", port_value: port } })
const extension = (name: string): string => `type.googleapis.com/envoy.extensions.${name}`

const xdsCluster = (port: number): object => ({
  name: "xds",
  type: "STATIC",
  connect_timeout: "1s",
  typed_extension_protocol_options: {
    "envoy.extensions.upstreams.http.v3.HttpProtocolOptions": {
      "@type": extension("upstreams.http.v3.HttpProtocolOptions"),
      explicit_http_config: { http2_protocol_options: {} }
    }
  },
  load_assignment: {
    cluster_name: "xds",
    endpoints: [{ lb_endpoints: [{ endpoint: { address: socket(port) } }] }]
  }
})

const edsCluster = (name: string): object => ({
  name,
  type: "EDS",
  connect_timeout: "1s",
  eds_cluster_config: { eds_config: { ads: {}, resource_api_version: "V3", initial_fetch_timeout: "10s" } },
  // No panic mode: an endpoint that must not get requests gets none, however few are left.
  common_lb_config: { healthy_panic_threshold: { value: 0 } }
})

const listener = (port: number, routes: EnvoyOptions["routes"]): object => ({
  name: "in",
  address: socket(port),
  filter_chains: [
    {
      filters: [
        {
          name: "http",
          typed_config: {
            "@type": extension("filters.network.http_connection_manager.v3.HttpConnectionManager"),
            stat_prefix: "in",
            http_filters: [
              { name: "router", typed_config: { "@type": extension("filters.http.router.v3.Router") } }
            ],
            route_config: {
              virtual_hosts: Object.entries(routes).map(([host, cluster]) => ({
                name: host,
                domains: [host],
                routes: [{ match: { prefix: "/" }, route: { cluster } }]
              }))
            }
          }
        }
      ]
    }
  ]
})

/** Envoy's bootstrap: static listener and clusters, endpoints over ADS. */
export const envoyBootstrap = (options: EnvoyOptions): object => ({
  node: {
    id: options.nodeId,
    cluster: "e2e",
    metadata: { CLUSTER_ID: "Kubernetes", NAMESPACE: "shop", ...options.metadata }
  },
  admin: { address: socket(options.adminPort) },
  dynamic_resources: {
    ads_config: {
      api_type: options.xds,
      transport_api_version: "V3",
      set_node_on_first_message_only: true,
      grpc_services: [{ envoy_grpc: { cluster_name: "xds" } }]
    }
  },
  static_resources: {
    listeners: [listener(options.listenPort, options.routes)],
    clusters: [xdsCluster(options.xdsPort), ...Object.values(options.routes).map(edsCluster)]
  }
})
