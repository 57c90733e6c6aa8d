import {
  augmentLabels,
  type Endpoint,
  noLabels,
  type Provider,
  type Service,
  unknownCreationTime,
  unspecifiedAddress
} from "@istiod-lite/model"

/** What a program has to say about a service; everything else has a plain default. */
export type MemoryService = Pick<Service, "hostname" | "ports"> & Partial<Service>

/** What a program has to say about an endpoint; its service port is the service's first unless named. */
export type MemoryEndpoint = Pick<Endpoint, "addresses" | "port"> & Partial<Endpoint>

/** Names a service; the namespace is `default` unless said otherwise. */
export interface ServiceName {
  readonly hostname: string
  readonly namespace?: string
}

/** Where the values of one registry belong. */
export interface MemoryOwner {
  readonly provider: Provider
  readonly cluster: string
}

export const defaultNamespace = "default"

/** A service as the phone book holds it: our endpoints are its addresses, everybody sees it. */
export const completeService = (service: MemoryService, { cluster, provider }: MemoryOwner): Service => ({
  namespace: defaultNamespace,
  name: service.hostname,
  objectName: "",
  provider,
  cluster,
  clusterVips: {},
  defaultAddress: unspecifiedAddress,
  autoAllocatedIpv4: "",
  autoAllocatedIpv6: "",
  resolution: "clientSideLB",
  meshExternal: false,
  serviceAccounts: [],
  creationTime: unknownCreationTime,
  resourceVersion: "",
  labels: noLabels,
  exportTo: [],
  labelSelectors: noLabels,
  trafficDistribution: "Any",
  passthroughTargetPorts: {},
  ...service
})

/**
 * An endpoint as the phone book holds it: healthy, in plain text, of the service's first port. Where it runs is
 * added to its labels (S-5).
 */
export const completeEndpoint = (
  endpoint: MemoryEndpoint,
  service: Service,
  { cluster }: MemoryOwner
): Endpoint => {
  const complete: Endpoint = {
    labels: noLabels,
    serviceAccount: "",
    network: "",
    locality: "",
    cluster,
    tlsMode: "disabled",
    weight: 0,
    workloadName: service.name,
    namespace: service.namespace,
    hostname: "",
    subdomain: "",
    node: "",
    servicePortName: service.ports[0]?.name ?? "",
    legacyClusterPortKey: 0,
    health: "HEALTHY",
    sendUnhealthy: false,
    discoverability: "",
    origin: {
      kind: "Inline",
      name: service.name,
      namespace: service.namespace,
      creationTime: service.creationTime
    },
    ...endpoint
  }
  return { ...complete, labels: augmentLabels(complete.labels, complete) }
}
