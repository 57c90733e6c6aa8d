/** Objects for a real API server: whole enough to be accepted. */

/** In namespace shop. */
const metadata = (name: string, labels: Readonly<Record<string, string>> = {}): object => ({
  name,
  namespace: "shop",
  labels
})

export const namespace = (name: string): object => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name }
})

export const serviceAccount = (name: string): object => ({
  apiVersion: "v1",
  kind: "ServiceAccount",
  metadata: metadata(name)
})

/** A Service with port 80, named http, in front of `targetPort`; it selects label `app: <name>`. */
export const service = (name: string, targetPort: number): object => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: metadata(name),
  spec: { selector: { app: name }, ports: [{ name: "http", port: 80, targetPort, protocol: "TCP" }] }
})

/** The EndpointSlice number `index` of a Service; its endpoints name no pods. */
export const slice = (of: string, index: number, port: number, addresses: ReadonlyArray<string>): object => ({
  apiVersion: "discovery.k8s.io/v1",
  kind: "EndpointSlice",
  metadata: metadata(`${of}-${index}`, { "kubernetes.io/service-name": of }),
  addressType: "IPv4",
  ports: [{ name: "http", port, protocol: "TCP" }],
  endpoints: addresses.map((address) => ({ addresses: [address], conditions: { ready: true } }))
})

/** A machine with label `app: <app>` that listens on `port`. Machines may have loopback addresses, slices may not. */
export const machine = (name: string, app: string, address: string, port: number): object => ({
  apiVersion: "networking.istio.io/v1",
  kind: "WorkloadEntry",
  metadata: metadata(name),
  spec: { address, labels: { app }, ports: { http: port } }
})

/** A ServiceEntry for `host`, port 80, that selects workloads with label `app: <app>`. */
export const serviceEntry = (host: string, app: string): object => ({
  apiVersion: "networking.istio.io/v1",
  kind: "ServiceEntry",
  metadata: metadata(app),
  spec: {
    hosts: [host],
    ports: [{ name: "http", number: 80, protocol: "HTTP" }],
    resolution: "STATIC",
    location: "MESH_INTERNAL",
    workloadSelector: { labels: { app } }
  }
})

/** Machines of this group register as service account `<name>-vm`, with label `app: <name>`. */
export const workloadGroup = (name: string, port: number): object => ({
  apiVersion: "networking.istio.io/v1",
  kind: "WorkloadGroup",
  metadata: metadata(name),
  spec: {
    metadata: { labels: { app: name } },
    template: { serviceAccount: `${name}-vm`, ports: { http: port } }
  }
})
