import { assert, describe, it } from "@effect/vitest"
import { endpointTypeUrl } from "@istiod-lite/xds-proto"
import { Effect } from "effect"
import { bakeryWith, home } from "./support/bakery.ts"
import { cluster, endpointSlice, kubeService, serviceEntry, sidecar } from "./support/manifests.ts"
import { watchPushes } from "./support/pushes.ts"

const mill = "mill.partner.example"

describe("case 29: a tool rewrites annotations", () => {
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
