import { assert, describe, it } from "@effect/vitest"
import { endpointTypeUrl } from "@istiod-lite/xds-proto"
import { Effect } from "effect"
import { bakeryWith, home } from "./support/bakery.ts"
import {
  bare,
  cluster,
  destinationRule,
  endpointSlice,
  kubeService,
  pod,
  serviceEntry,
  sidecar
} from "./support/manifests.ts"
import { watchPushes } from "./support/pushes.ts"

const mill = "mill.partner.example"

/** Objects of every kind that discovery reads, which a tool may touch without changing what they say. */
const objects = [
  kubeService("oven"),
  pod("oven-1", "oven", "198.51.100.21"),
  endpointSlice("oven", { address: "198.51.100.21", ready: true, pod: "oven-1" }),
  serviceEntry("mill", mill, ["192.0.2.81"]),
  destinationRule("oven", { tls: { mode: "SIMPLE" } }),
  bare("v1", "Namespace", "bakery", {}),
  bare("v1", "Node", "node-1", {}),
  bare("networking.istio.io/v1", "WorkloadEntry", "van", { spec: { address: "192.0.2.82" } }),
  bare("networking.istio.io/v1", "Sidecar", "default", { spec: { egress: [{ hosts: ["./*"] }] } }),
  bare("networking.istio.io/v1", "VirtualService", "oven", {
    spec: { hosts: ["oven"], http: [{ route: [{ destination: { host: "oven" } }] }] }
  }),
  bare("networking.istio.io/v1", "Gateway", "front", {
    spec: { selector: { app: "front" }, servers: [] }
  }),
  bare("security.istio.io/v1", "PeerAuthentication", "default", { spec: { mtls: { mode: "STRICT" } } })
]

describe("case 29: a tool rewrites annotations", () => {
  it.live.each(objects)("pushes nothing, whatever the kind: $kind", (object) =>
    Effect.gen(function* () {
      const pushes = yield* watchPushes
      const { source } = yield* bakeryWith(objects, { server: { observers: [pushes.observer] } })
      yield* pushes.next
      const annotations = { "kubectl.kubernetes.io/last-applied-configuration": "{}" }
      source.apply(home, { ...object, metadata: { ...object.metadata, annotations } })
      // Pushes come in order: that the next one is about this service proves that there was none before.
      source.apply(home, kubeService("till"))
      assert.deepEqual(yield* pushes.next, ["service"])
    })
  )

  it.live("pushes nothing; a change that clients could see is pushed", () =>
    Effect.gen(function* () {
      const pushes = yield* watchPushes
      const { connect, source } = yield* bakeryWith(
        [
          kubeService("oven"),
          endpointSlice("oven", "198.51.100.21"),
          serviceEntry("mill", mill, ["192.0.2.81"])
        ],
        { server: { observers: [pushes.observer] } }
      )
      yield* pushes.next
      const clients = yield* Effect.forEach(Array.from({ length: 10 }), (_, i) =>
        connect(sidecar(`web-${i}`))
      )
      for (const client of clients) {
        yield* client.subscribe(endpointTypeUrl, [cluster("oven"), cluster(mill)])
        yield* client.next(endpointTypeUrl)
      }
      source.apply(home, kubeService("oven", { "meta.helm.sh/release-name": "bakery" }))
      source.apply(
        home,
        serviceEntry("mill", mill, ["192.0.2.81"], {
          annotations: { "kubectl.kubernetes.io/last-applied-configuration": "{}" }
        })
      )
      source.apply(home, serviceEntry("mill", mill, ["192.0.2.81"], { exportTo: ["."] }))
      // Pushes come in order: that the next one is about the service proves that the annotations pushed nothing.
      assert.include(yield* pushes.next, "service")
      assert.strictEqual(pushes.reasons.length, 2)
      for (const client of clients) assert.strictEqual(client.waiting(endpointTypeUrl), 0)
    })
  )
})
