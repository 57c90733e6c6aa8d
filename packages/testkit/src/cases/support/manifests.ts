/** Manifests of the cases: a bakery, in the form that `MemoryObjects` takes. */
const namespace = "bakery"
const creationTimestamp = "2026-02-01T06:00:00Z"

/** A ready endpoint by its address, or what differs. */
export type SliceEndpoint =
  | string
  | { readonly address: string; readonly ready: boolean; readonly pod?: string }

/** A Service with port `http`, 80 → 8080, that selects `app: <name>`. */
export const kubeService = (name: string, annotations: Readonly<Record<string, string>> = {}) => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name, namespace, creationTimestamp, annotations },
  spec: {
    clusterIP: `192.0.2.${20 + name.length}`,
    selector: { app: name },
    ports: [{ name: "http", port: 80, targetPort: 8080 }]
  }
})

/** The EndpointSlice `<service>-1` with port `http`, 8080. */
export const endpointSlice = (service: string, ...endpoints: ReadonlyArray<SliceEndpoint>) => ({
  apiVersion: "discovery.k8s.io/v1",
  kind: "EndpointSlice",
  metadata: {
    name: `${service}-1`,
    namespace,
    creationTimestamp,
    labels: { "kubernetes.io/service-name": service }
  },
  addressType: "IPv4",
  ports: [{ name: "http", port: 8080, protocol: "TCP" }],
  endpoints: endpoints
    .map((one) => (typeof one === "string" ? { address: one, ready: true } : one))
    .map(({ address, ready, ...named }) => ({
      addresses: [address],
      conditions: { ready, serving: ready, terminating: false },
      ...("pod" in named && { targetRef: { kind: "Pod", name: named.pod, namespace } })
    }))
})

/** A pod `app: <app>` with a sidecar, ready or not. */
export const pod = (name: string, app: string, ip: string, ready = true) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name,
    namespace,
    creationTimestamp,
    labels: { app, "security.istio.io/tlsMode": "istio" }
  },
  spec: { nodeName: "node-1", serviceAccountName: "baker" },
  status: {
    phase: "Running",
    podIP: ip,
    podIPs: [{ ip }],
    conditions: [{ type: "Ready", status: ready ? "True" : "False" }]
  }
})

/** A ServiceEntry for one host with port `http`, 80; with endpoints STATIC, without DNS. */
export const serviceEntry = (
  name: string,
  host: string,
  endpoints: ReadonlyArray<string>,
  {
    annotations = {},
    ...spec
  }: { readonly annotations?: object; readonly exportTo?: ReadonlyArray<string> } = {}
) => ({
  apiVersion: "networking.istio.io/v1",
  kind: "ServiceEntry",
  metadata: { name, namespace, creationTimestamp, annotations },
  spec: {
    hosts: [host],
    location: "MESH_EXTERNAL",
    resolution: endpoints.length > 0 ? "STATIC" : "DNS",
    ports: [{ name: "http", number: 80, protocol: "HTTP" }],
    endpoints: endpoints.map((address) => ({ address })),
    ...spec
  }
})

/** A DestinationRule for a Service of the bakery. */
export const destinationRule = (service: string, trafficPolicy: object) => ({
  apiVersion: "networking.istio.io/v1",
  kind: "DestinationRule",
  metadata: { name: service, namespace, creationTimestamp },
  spec: { host: service, trafficPolicy }
})

/** Any other object of the bakery. */
export const bare = (apiVersion: string, kind: string, name: string, content: object) => ({
  apiVersion,
  kind,
  metadata: {
    name,
    creationTimestamp,
    ...(kind !== "Namespace" && kind !== "Node" && { namespace })
  },
  ...content
})

/** The EDS cluster of port 80 of a Service of the bakery, or of another host by its full name. */
export const cluster = (service: string): string =>
  `outbound|80||${service.includes(".") ? service : `${service}.${namespace}.svc.cluster.local`}`

/** A sidecar of the bakery; its metadata as agents send it. */
export const sidecar = (name: string, metadata: Readonly<Record<string, string>> = {}) => ({
  id: `sidecar~192.0.2.10~${name}.${namespace}~${namespace}.svc.cluster.local`,
  metadata
})
