/** Builders of the model's values for tests: every field has a plain default, tests name what they are about. */
import type { Endpoint, EndpointGroup } from "../endpoint.ts"
import { noLabels } from "../labels.ts"
import { noLocality } from "../locality.ts"
import type { ObjectMeta } from "../objects/meta.ts"
import type { Proxy } from "../proxy.ts"
import { type Service, unspecifiedAddress } from "../service.ts"

export const testTime = "2026-03-01T08:00:00Z"

/** Metadata of an object, `default/object` unless said otherwise. */
export const objectMeta = (fields: Partial<ObjectMeta> = {}): ObjectMeta => ({
  name: "object",
  namespace: "default",
  uid: "",
  creationTime: testTime,
  resourceVersion: "1",
  labels: noLabels,
  annotations: noLabels,
  ...fields
})

/** A Kubernetes-style service with one HTTP port 80 and a VIP in cluster `Kubernetes`. */
export const service = (fields: Partial<Service> = {}): Service => {
  const hostname = fields.hostname ?? `reviews.${fields.namespace ?? "shop"}.svc.cluster.local`
  return {
    hostname,
    namespace: "shop",
    name: hostname.split(".")[0] ?? hostname,
    objectName: "",
    provider: "Kubernetes",
    cluster: "Kubernetes",
    ports: [{ name: "http", number: 80, protocol: "HTTP" }],
    clusterVips: {},
    defaultAddress: unspecifiedAddress,
    autoAllocatedIpv4: "",
    autoAllocatedIpv6: "",
    resolution: "clientSideLB",
    meshExternal: false,
    serviceAccounts: [],
    creationTime: testTime,
    resourceVersion: "1",
    labels: noLabels,
    exportTo: [],
    labelSelectors: noLabels,
    trafficDistribution: "Any",
    passthroughTargetPorts: {},
    ...fields
  }
}

/** A service as a ServiceEntry declares it: provider `External`, named after its host. */
export const entryService = (fields: Partial<Service> = {}): Service =>
  service({
    provider: "External",
    hostname: "api.example.com",
    name: fields.hostname ?? "api.example.com",
    objectName: "entry",
    ...fields
  })

/** A healthy pod's endpoint of port `http`. */
export const endpoint = (fields: Partial<Endpoint> = {}): Endpoint => ({
  addresses: ["10.20.0.1"],
  labels: noLabels,
  serviceAccount: "",
  network: "",
  locality: "",
  cluster: "Kubernetes",
  tlsMode: "disabled",
  weight: 0,
  workloadName: "reviews",
  namespace: "shop",
  hostname: "",
  subdomain: "",
  node: "",
  port: 8080,
  servicePortName: "http",
  legacyClusterPortKey: 0,
  health: "HEALTHY",
  sendUnhealthy: false,
  discoverability: "",
  origin: { kind: "Pod", name: "reviews-1", namespace: "shop", creationTime: testTime },
  ...fields
})

/** The endpoints of one slice, `reviews` of `shop` in shard `Kubernetes/Kubernetes`. */
export const endpointGroup = (fields: Partial<EndpointGroup> = {}): EndpointGroup => ({
  hostname: "reviews.shop.svc.cluster.local",
  namespace: "shop",
  shard: "Kubernetes/Kubernetes",
  endpoints: [endpoint()],
  ...fields
})

/** A sidecar of cluster `Kubernetes`, namespace `shop`, that speaks IPv4. */
export const proxy = (fields: Partial<Proxy> = {}): Proxy => {
  const name = fields.name ?? "client"
  const namespace = fields.namespace ?? "shop"
  const ips = fields.ips ?? ["10.20.9.9"]
  return {
    id: `sidecar~${ips[0] ?? ""}~${name}.${namespace}~${namespace}.svc.cluster.local`,
    name,
    namespace,
    type: "sidecar",
    ips,
    labels: noLabels,
    cluster: "Kubernetes",
    network: "",
    locality: noLocality,
    node: "",
    serviceAccount: "",
    networkView: undefined,
    dnsCapture: false,
    dnsAutoAllocate: false,
    workloadName: "",
    istioVersion: "",
    metadata: {},
    ...fields
  }
}
