import { machine, pod, service, serviceEntry, slice, type SliceEndpoint, writeManifest } from "./manifests.ts"

const sticky = { "istio.io/persistent-session": "cart-session" }

/** Every address that a server listens on. */
export const addresses = {
  webOne: "127.1.0.1",
  webTwo: "127.1.0.2",
  webUnready: "127.1.0.3",
  webDraining: "127.1.0.4",
  webMachine: "127.2.0.1",
  cart: "127.1.1.1",
  cartDraining: "127.1.1.2",
  billingSmall: "127.2.1.1",
  billingLarge: "127.2.1.2",
  ordersPod: "127.1.2.1",
  ordersMachine: "127.2.2.1"
} as const

/** The hosts of the mesh, as an application names them. */
export const hosts = {
  web: "web.shop.svc.cluster.local",
  cart: "cart.shop.svc.cluster.local",
  billing: "billing.shop.internal",
  orders: "orders.shop.internal"
} as const

/** The EDS cluster of a host's port 80 (S-50). */
export const clusterOf = (host: string): string => `outbound|80||${host}`

/** Writes or rewrites the pods of service web. */
export const writeWebPods = (folder: string, port: number, pods: ReadonlyArray<SliceEndpoint>): void =>
  writeManifest(folder, "web-pods.json", [slice("web", port, pods)])

/** The pods of service web as the tests begin. */
export const webPods: ReadonlyArray<SliceEndpoint> = [
  { address: addresses.webOne, state: "ready" },
  { address: addresses.webTwo, state: "ready" },
  { address: addresses.webUnready, state: "unready" },
  { address: addresses.webDraining, state: "draining" }
]

/** Writes a small hybrid mesh whose workloads all listen on `port`. */
export const writeMesh = (folder: string, port: number): void => {
  // A Kubernetes Service selects pods and a machine.
  writeWebPods(folder, port, webPods)
  writeManifest(folder, "web.yaml", [
    service("web", port),
    machine("web-machine", "web", addresses.webMachine, port, 3)
  ])
  // A service with persistent sessions: its draining pod is told to clients, which must not start sessions there.
  writeManifest(folder, "cart.yaml", [
    service("cart", port, sticky),
    slice("cart", port, [
      { address: addresses.cart, state: "ready" },
      { address: addresses.cartDraining, state: "draining" }
    ])
  ])
  // A service on machines only.
  writeManifest(folder, "billing.yaml", [
    serviceEntry(hosts.billing, "billing"),
    machine("billing-small", "billing", addresses.billingSmall, port),
    machine("billing-large", "billing", addresses.billingLarge, port, 3)
  ])
  // A ServiceEntry selects a pod and a machine.
  writeManifest(folder, "orders.yaml", [
    serviceEntry(hosts.orders, "orders"),
    pod("orders-0", "orders", addresses.ordersPod, port),
    machine("orders-machine", "orders", addresses.ordersMachine, port)
  ])
}
