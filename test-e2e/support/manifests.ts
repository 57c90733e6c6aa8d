import { renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"

/** An endpoint of a slice and the conditions that Kubernetes gives it. */
export interface SliceEndpoint {
  readonly address: string
  readonly state: "ready" | "unready" | "draining"
}

const conditions = {
  ready: { ready: true, serving: true, terminating: false },
  unready: { ready: false, serving: false, terminating: false },
  draining: { ready: false, serving: true, terminating: true }
} as const

/** In namespace shop. */
export const metadata = (name: string, labels: Readonly<Record<string, string>> = {}): object => ({
  name,
  namespace: "shop",
  labels
})

/** A Kubernetes Service of namespace shop: port 80, named http, in front of `targetPort`; it selects label `app: <name>`. */
export const service = (
  name: string,
  targetPort: number,
  labels: Readonly<Record<string, string>> = {}
): object => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: metadata(name, labels),
  spec: {
    clusterIP: "10.96.0.10",
    selector: { app: name },
    ports: [{ name: "http", port: 80, targetPort, protocol: "TCP" }]
  }
})

/** The EndpointSlice of a Service. */
export const slice = (of: string, port: number, endpoints: ReadonlyArray<SliceEndpoint>): object => ({
  apiVersion: "discovery.k8s.io/v1",
  kind: "EndpointSlice",
  metadata: metadata(`${of}-1`, { "kubernetes.io/service-name": of }),
  addressType: "IPv4",
  ports: [{ name: "http", port, protocol: "TCP" }],
  endpoints: endpoints.map(({ address, state }) => ({ addresses: [address], conditions: conditions[state] }))
})

/** A ready pod with label `app: <app>` whose port http is `port`. */
export const pod = (name: string, app: string, address: string, port: number): object => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: metadata(name, { app }),
  spec: {
    serviceAccountName: app,
    containers: [{ name: "main", ports: [{ name: "http", containerPort: port, protocol: "TCP" }] }]
  },
  status: {
    phase: "Running",
    podIP: address,
    podIPs: [{ ip: address }],
    conditions: [{ type: "Ready", status: "True" }]
  }
})

/** A virtual machine with label `app: <app>` whose port http is `port`. */
export const machine = (name: string, app: string, address: string, port: number, weight = 1): object => ({
  apiVersion: "networking.istio.io/v1",
  kind: "WorkloadEntry",
  metadata: metadata(name),
  spec: { address, labels: { app }, ports: { http: port }, weight }
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

/** Writes objects as one file, by a rename, as editors and Kubernetes' mounted volumes do. JSON documents are YAML. */
export const writeManifest = (folder: string, name: string, objects: ReadonlyArray<object>): void => {
  const draft = join(folder, `.${name}.draft`)
  writeFileSync(draft, objects.map((object) => JSON.stringify(object, undefined, 2)).join("\n---\n"))
  renameSync(draft, join(folder, name))
}
