/** Inputs of assignments for tests: a service `reviews` of `shop` with port 80, named `http`, and what a test adds. */
import { noTrafficPolicy, type ProxyView } from "@istiod-lite/mesh-policy"
import {
  defaultMeshConfig,
  type DestinationRule,
  type EndpointGroup,
  type NetworkGateway,
  noLabels,
  noLocality,
  type Proxy,
  type TrafficPolicy
} from "@istiod-lite/model"
import { objectMeta, proxy, service } from "@istiod-lite/model/testing"
import type { EndpointView, PeerMode } from "../endpoint-view.ts"
import { indexGateways } from "../network-gateways.ts"
import type { AssignmentInput } from "../plan-assignment.ts"

export const reviews = "reviews.shop.svc.cluster.local"

export const view = (fields: Partial<ProxyView> = {}, of: Partial<Proxy> = {}): ProxyView => ({
  proxy: proxy(of),
  labels: noLabels,
  locality: noLocality,
  ipMode: "IPv4",
  scope: { key: "shop", namespace: "shop", services: [], byHostname: new Map(), aliasImports: new Map() },
  ...fields
})

export const groups = (...list: ReadonlyArray<EndpointGroup>): NonNullable<AssignmentInput["endpoints"]> => ({
  hostname: reviews,
  namespace: "shop",
  groups: list,
  serviceAccounts: []
})

export const gateway = (network: string, address: string, cluster = ""): NetworkGateway => ({
  network,
  cluster,
  address,
  port: 15443
})

export const destinationRule = (
  trafficPolicy: Partial<TrafficPolicy>,
  fields: Partial<DestinationRule> = {}
): NonNullable<AssignmentInput["rule"]> => ({
  rule: {
    meta: objectMeta({ name: "reviews", namespace: "shop" }),
    host: reviews,
    exportTo: [],
    workloadSelector: undefined,
    trafficPolicy: { ...noTrafficPolicy, ...trafficPolicy },
    subsets: [],
    ...fields
  },
  from: []
})

// One function for all: encoded endpoints are kept as long as it is the same.
const permissive: PeerMode = () => "PERMISSIVE"

/** Everything that an assignment depends on, all of it plain. */
export const input = (fields: Partial<AssignmentInput> = {}): AssignmentInput => ({
  name: `outbound|80||${reviews}`,
  cluster: { direction: "outbound", port: 80, subset: "", hostname: reviews, sniDnat: false },
  service: service(),
  endpoints: groups(),
  view: view(),
  rule: undefined,
  gateways: indexGateways([]),
  peerMode: permissive,
  mesh: defaultMeshConfig,
  ...fields
})

/** A view that lets through every usable endpoint of port `http`. */
export const endpointView = (fields: Partial<EndpointView> = {}): EndpointView => ({
  port: "http",
  subset: undefined,
  onlyNode: undefined,
  clusterLocal: false,
  cluster: "Kubernetes",
  networkView: undefined,
  multiNetwork: false,
  unhealthyKeptBack: undefined,
  sendsDraining: false,
  tls: "auto",
  peerMode: permissive,
  tunnels: true,
  dualStack: false,
  ...fields
})
