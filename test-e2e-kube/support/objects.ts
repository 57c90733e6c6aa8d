/**
 * Objects for a real API server: whole enough to be accepted. Those that serve its files as well are in
 * `test-e2e/support/manifests.ts`. Machines may have loopback addresses, slices may not.
 */
import { metadata } from "../../test-e2e/support/manifests.ts"

export { machine, serviceEntry } from "../../test-e2e/support/manifests.ts"

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
