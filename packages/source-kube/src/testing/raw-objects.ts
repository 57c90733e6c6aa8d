import type { GivenObject } from "./fake-api.ts"

/** A ready pod of namespace shop. */
export const rawPod = (name: string, ip = "10.20.0.1"): GivenObject => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "shop" },
  spec: {},
  status: {
    phase: "Running",
    podIP: ip,
    podIPs: [{ ip }],
    conditions: [{ type: "Ready", status: "True" }]
  }
})

/** A slice of service shop/cart that names pods. */
export const rawSlice = (name: string, ...pods: ReadonlyArray<string>): GivenObject => ({
  apiVersion: "discovery.k8s.io/v1",
  kind: "EndpointSlice",
  metadata: { name, namespace: "shop", labels: { "kubernetes.io/service-name": "cart" } },
  addressType: "IPv4",
  ports: [{ name: "http", port: 8080, protocol: "TCP" }],
  endpoints: pods.map((pod) => ({
    addresses: ["10.20.0.1"],
    conditions: { ready: true },
    targetRef: { kind: "Pod", namespace: "shop", name: pod }
  }))
})

/** A service of namespace shop. */
export const rawService = (name: string): GivenObject => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name, namespace: "shop" },
  spec: { clusterIP: "10.96.0.1", ports: [{ name: "http", port: 80, protocol: "TCP" }] }
})

/** A ServiceEntry of namespace shop. */
export const rawServiceEntry = (name: string, host = `${name}.example`): GivenObject => ({
  apiVersion: "networking.istio.io/v1",
  kind: "ServiceEntry",
  metadata: { name, namespace: "shop" },
  spec: {
    hosts: [host],
    ports: [{ number: 443, name: "tls", protocol: "TLS" }],
    resolution: "DNS",
    location: "MESH_EXTERNAL"
  }
})
