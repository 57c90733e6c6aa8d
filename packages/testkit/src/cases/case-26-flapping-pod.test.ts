import { assert, describe, it } from "@effect/vitest"
import { clusterTypeUrl, endpointTypeUrl, listenerTypeUrl, routeTypeUrl } from "@istiod-lite/xds-proto"
import { Effect } from "effect"
import { bakeryWith, home, waitForRoutable } from "./support/bakery.ts"
import { cluster, endpointSlice, kubeService, pod, sidecar } from "./support/manifests.ts"
import { watchPushes } from "./support/pushes.ts"
import { standInClusters, standInListeners, standInRoutes } from "./support/stand-in-types.ts"

const flaps = 20
const proxies = 50
const otherTypes = [clusterTypeUrl, listenerTypeUrl]

const ready = (isReady: boolean) =>
  endpointSlice("oven", { address: "198.51.100.21", ready: isReady, pod: "oven-1" })

describe("case 26: the only pod of a service comes and goes", () => {
  it.live(
    "costs endpoint pushes, nothing else",
    () =>
      Effect.gen(function* () {
        const pushes = yield* watchPushes
        const { connect, source } = yield* bakeryWith(
          [kubeService("oven"), pod("oven-1", "oven", "198.51.100.21"), ready(true)],
          {
            generators: [standInClusters, standInListeners, standInRoutes],
            server: { observers: [pushes.observer] }
          }
        )
        const clients = yield* Effect.forEach(Array.from({ length: proxies }), (_, i) =>
          connect(sidecar(`web-${i}`))
        )
        for (const client of clients) {
          for (const typeUrl of otherTypes) {
            yield* client.subscribe(typeUrl, [])
            yield* client.next(typeUrl)
          }
          yield* client.subscribe(routeTypeUrl, ["80"])
          yield* client.next(routeTypeUrl)
          yield* client.subscribe(endpointTypeUrl, [cluster("oven")])
          yield* client.next(endpointTypeUrl)
        }
        const before = pushes.reasons.length
        const sentBefore = pushes.sent.length
        for (let flap = 0; flap < flaps; flap++) {
          source.apply(home, ready(false))
          for (const client of clients) yield* waitForRoutable(client, "oven")
          source.apply(home, ready(true))
          for (const client of clients) yield* waitForRoutable(client, "oven", "198.51.100.21:8080")
        }
        assert.deepEqual([...new Set(pushes.reasons.slice(before).flat())], ["endpoint"])
        const sent = pushes.sent.slice(sentBefore)
        assert.deepEqual([...new Set(sent)], [endpointTypeUrl])
        assert.strictEqual(sent.length, proxies * flaps * 2)
      }),
    20_000
  )

  it.live("also when its slice loses the address instead", () =>
    Effect.gen(function* () {
      const pushes = yield* watchPushes
      const { connect, source } = yield* bakeryWith(
        [kubeService("oven"), pod("oven-1", "oven", "198.51.100.21"), ready(true)],
        { server: { observers: [pushes.observer] } }
      )
      const client = yield* connect(sidecar("web"))
      yield* client.subscribe(endpointTypeUrl, [cluster("oven")])
      yield* waitForRoutable(client, "oven", "198.51.100.21:8080")
      const before = pushes.reasons.length
      source.apply(home, endpointSlice("oven"))
      yield* waitForRoutable(client, "oven")
      source.apply(home, ready(true))
      yield* waitForRoutable(client, "oven", "198.51.100.21:8080")
      assert.deepEqual(pushes.reasons.slice(before), [["endpoint"], ["endpoint"]])
    })
  )
})
