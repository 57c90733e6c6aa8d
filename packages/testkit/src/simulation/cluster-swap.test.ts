import { assert, describe, it } from "@effect/vitest"
import {
  type Batch,
  configCluster,
  type History,
  type Manifest,
  remoteCluster,
  type SimulatedClient
} from "./history.ts"
import { decoded } from "./observed-objects.ts"
import { plantedFaults } from "./planted-faults.ts"
import { playHistory } from "./play-history.ts"
import { makeServedPlane, type ServedPlane } from "./simulated-plane.ts"
import { isEmptyAssignment, SimulatedSession } from "./simulated-session.ts"

/** One Service of a cluster with one pod behind it. */
const workload = (name: string, ip: string, resourceVersion = "1"): ReadonlyArray<Manifest> => [
  {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name, namespace: "shop", resourceVersion },
    spec: { clusterIP: "10.96.0.7", selector: { app: name }, ports: [{ name: "http", port: 80 }] }
  },
  {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: `${name}-1`, namespace: "shop", resourceVersion, labels: { app: name } },
    spec: { containers: [{ name: "app" }] },
    status: {
      phase: "Running",
      podIP: ip,
      podIPs: [{ ip }],
      conditions: [{ type: "Ready", status: "True" }]
    }
  },
  {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: {
      name: `${name}-a`,
      namespace: "shop",
      resourceVersion,
      labels: { "kubernetes.io/service-name": name }
    },
    addressType: "IPv4",
    ports: [{ name: "http", port: 8080 }],
    endpoints: [
      {
        addresses: [ip],
        conditions: { ready: true },
        targetRef: { kind: "Pod", namespace: "shop", name: `${name}-1` }
      }
    ]
  }
]

const nameOf = (service: string): string => `outbound|80||${service}.shop.svc.cluster.local`
/** `cart` is in both clusters, `crm` in the remote one only. */
const cart = nameOf("cart")
const crm = nameOf("crm")
const home = workload("cart", "10.1.0.1")
const remote = [...workload("cart", "10.2.0.1"), ...workload("crm", "10.2.0.2")]
const remoteLater = [...workload("cart", "10.2.0.11", "2"), ...workload("crm", "10.2.0.12", "2")]

const client = (i: number): SimulatedClient => ({
  node: {
    id: `sidecar~10.1.1.${i}~web-${i}.shop~shop.svc.cluster.local`,
    metadata: { CLUSTER_ID: i % 3 === 0 ? remoteCluster : configCluster }
  },
  delta: i % 2 === 0,
  names: [cart, crm],
  follows: i % 4 === 0
})

const write = ({ graph, store }: ServedPlane, cluster: string, manifests: ReadonlyArray<Manifest>): void =>
  graph.transaction(() => {
    for (const manifest of manifests) store.put(cluster, decoded(manifest))
  })

const batch = (events: Batch["events"]): Batch => ({ together: false, eager: true, stalled: [], events })

/** A control plane of one cluster with 100 clients, and what each of them was ever told. */
const connected = () => {
  const plane = makeServedPlane({ configCluster })
  write(plane, configCluster, home)
  plane.push()
  const sessions = Array.from({ length: 100 }, (_, i) => new SimulatedSession(plane, client(i)))
  const emptied: Array<string> = []
  const told = (): void => {
    plane.push()
    for (const session of sessions) {
      session.read((name, bytes) => {
        if (isEmptyAssignment(bytes)) emptied.push(`${session.proxy.id}: ${name}`)
      })
      session.follow()
    }
  }
  const addresses = (name: string): ReadonlySet<string> =>
    new Set(sessions.map((session) => session.addresses(name).join(" ")))
  return { plane, emptied, told, addresses }
}

describe("clusters that come and go while 100 clients are connected", () => {
  it("adding, replacing and removing one never tells a client of an empty assignment for what is elsewhere", () => {
    const { addresses, emptied, plane, told } = connected()
    assert.deepEqual(addresses(cart), new Set(["10.1.0.1"]))

    write(plane, remoteCluster, remote)
    told()
    assert.deepEqual(addresses(cart), new Set(["10.1.0.1 10.2.0.1"]))
    assert.deepEqual(addresses(crm), new Set(["10.2.0.2"]))

    // The new connection syncs object by object; nobody sees it before it has.
    const successor = plane.store.successor(remoteCluster)
    for (const manifest of remoteLater) {
      successor.put(decoded(manifest))
      told()
    }
    assert.deepEqual(addresses(crm), new Set(["10.2.0.2"]))
    successor.takeOver()
    told()
    assert.deepEqual(addresses(cart), new Set(["10.1.0.1 10.2.0.11"]))
    assert.deepEqual(addresses(crm), new Set(["10.2.0.12"]))
    assert.deepEqual(emptied, [])

    // Now crm is nowhere else: that one is empty by right.
    plane.store.removeCluster(remoteCluster)
    told()
    assert.deepEqual(addresses(cart), new Set(["10.1.0.1"]))
    assert.deepEqual(new Set(emptied.map((text) => text.split(": ")[1])), new Set([crm]))
  })

  it("a replacement is one change of each service: none goes and comes back", () => {
    const { plane } = connected()
    write(plane, remoteCluster, remote)
    const seen: Array<readonly [string, boolean]> = []
    plane.discovery.services.subscribe((changes) =>
      changes.forEach(({ key, now }) => seen.push([key, now !== undefined]))
    )
    plane.discovery.endpoints.subscribe((changes) =>
      changes.forEach(({ key, now }) => seen.push([key, now !== undefined]))
    )
    const successor = plane.store.successor(remoteCluster)
    for (const manifest of remoteLater) successor.put(decoded(manifest))
    successor.takeOver()
    assert.deepEqual(seen, [
      ["shop/cart.shop.svc.cluster.local", true],
      ["shop/crm.shop.svc.cluster.local", true]
    ])
  })

  it("a removed cluster leaves nothing behind (D-7), nor does a successor that is abandoned", () => {
    const { plane, told } = connected()
    plane.graph.wakeAll()
    const before = plane.graph.sizes()
    write(plane, remoteCluster, remote)
    told()
    const successor = plane.store.successor(remoteCluster)
    for (const manifest of remoteLater) successor.put(decoded(manifest))
    successor.abandon()
    plane.store.removeCluster(remoteCluster)
    told()
    assert.deepEqual(plane.graph.sizes(), before)
  })

  it("would show it if the old cluster were removed before the new one is there", () => {
    const history: History = {
      seed: 0,
      clients: Array.from({ length: 100 }, (_, i) => client(i)),
      batches: [
        batch([
          ...home.map((manifest) => ({ action: "apply", cluster: configCluster, manifest }) as const),
          ...remote.map((manifest) => ({ action: "apply", cluster: remoteCluster, manifest }) as const)
        ]),
        batch([{ action: "replaceCluster", cluster: remoteCluster, manifests: remoteLater }])
      ]
    }
    assert.isUndefined(playHistory(history))
    const { difference } = playHistory(history, plantedFaults["naive-swap"]!())!
    assert.deepEqual([difference.key, difference.served], [crm, "empty meanwhile"])
  })
})
