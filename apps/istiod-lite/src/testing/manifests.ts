/** Objects of a shop, in the form that manifests have; fields that a test is about are given over them. */
type Fields = Readonly<Record<string, unknown>>
interface Meta {
  readonly namespace?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
  readonly creationTimestamp?: string
  readonly uid?: string
}

const meta = (name: string, own: Meta = {}) => ({
  namespace: "shop",
  creationTimestamp: "2026-02-01T06:00:00Z",
  ...own,
  name
})

/** Port `http`, 80 → 8080, selects `app: <name>`. */
export const service = (name: string, spec: Fields = {}, own: Meta = {}) => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: meta(name, own),
  spec: {
    clusterIP: "10.96.0.1",
    selector: { app: name },
    ports: [{ name: "http", port: 80, targetPort: 8080 }],
    ...spec
  }
})

/** The slice `<of>-1` with one ready endpoint of the pod `<of>-1`. */
export const slice = (of: string, address: string, fields: Fields = {}, own: Meta = {}) => ({
  apiVersion: "discovery.k8s.io/v1",
  kind: "EndpointSlice",
  metadata: meta(`${of}-1`, { labels: { "kubernetes.io/service-name": of }, ...own }),
  addressType: "IPv4",
  ports: [{ name: "http", port: 8080, protocol: "TCP" }],
  endpoints: [
    {
      addresses: [address],
      conditions: { ready: true, serving: true, terminating: false },
      targetRef: { kind: "Pod", name: `${of}-1`, namespace: "shop" },
      ...fields
    }
  ]
})

/** Ready, on node n1, labelled `app: <app>`. */
export const pod = (
  name: string,
  ip: string,
  { labels, ...own }: Meta = {},
  status: Fields = {},
  spec: Fields = {}
) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: meta(name, { labels: { app: name.replace(/-\d+$/, ""), ...labels }, ...own }),
  spec: { nodeName: "n1", serviceAccountName: "default", ...spec },
  status: {
    phase: "Running",
    podIP: ip,
    podIPs: [{ ip }],
    conditions: [{ type: "Ready", status: "True" }],
    ...status
  }
})

export const workloadEntry = (name: string, spec: Fields, own: Meta = {}, status: Fields = {}) => ({
  apiVersion: "networking.istio.io/v1",
  kind: "WorkloadEntry",
  metadata: meta(name, own),
  spec,
  status
})

/** Port `http`, 80; STATIC. */
export const serviceEntry = (name: string, host: string, spec: Fields = {}, own: Meta = {}) => ({
  apiVersion: "networking.istio.io/v1",
  kind: "ServiceEntry",
  metadata: meta(name, own),
  spec: {
    hosts: [host],
    location: "MESH_INTERNAL",
    resolution: "STATIC",
    ports: [{ name: "http", number: 80, protocol: "HTTP" }],
    ...spec
  }
})

export const istioObject = (
  kind: "Sidecar" | "DestinationRule",
  name: string,
  spec: Fields,
  own: Meta = {}
) => ({
  apiVersion: "networking.istio.io/v1",
  kind,
  metadata: meta(name, own),
  spec
})
