import { assert, describe, it } from "@effect/vitest"
import { clusterTypeUrl, endpointTypeUrl, listenerTypeUrl, routeTypeUrl } from "@istiod-lite/xds-proto"
import { Effect } from "effect"
import { bakeryWith, home, waitForRoutable } from "./support/bakery.ts"
import { cluster, endpointSlice, kubeService, sidecar } from "./support/manifests.ts"
import { watchPushes } from "./support/pushes.ts"
import { standInClusters, standInListeners, standInRoutes } from "./support/stand-in-types.ts"

const rounds = 100
const order = [clusterTypeUrl, endpointTypeUrl, listenerTypeUrl, routeTypeUrl]

describe.each([{ delta: false }, { delta: true }])(
  "case 60: one change touches all types, delta $delta",
  (mode) => {
    it.live(
      "is sent as clusters, endpoints, listeners, routes, however often",
      () =>
        Effect.gen(function* () {
          const pushes = yield* watchPushes
          const { connect, source } = yield* bakeryWith(
            [kubeService("oven"), endpointSlice("oven", "198.51.100.1")],
            {
              // In the wrong order on purpose: it is the generators' own order that counts.
              generators: [standInRoutes, standInListeners, standInClusters],
              server: { observers: [pushes.observer] }
            }
          )
          const client = yield* connect(sidecar("web"), mode)
          yield* client.subscribe(endpointTypeUrl, [cluster("oven")])
          yield* waitForRoutable(client, "oven", "198.51.100.1:8080")
          for (const [typeUrl, names] of [
            [routeTypeUrl, ["80"]],
            [listenerTypeUrl, []],
            [clusterTypeUrl, []]
          ] as const) {
            yield* client.subscribe(typeUrl, names)
            yield* client.next(typeUrl)
          }
          for (let round = 2; round < rounds + 2; round++) {
            const before = pushes.sent.length
            const name = `cake-${round}`
            source.transaction(() => {
              source.apply(home, endpointSlice("oven", `198.51.100.${round}`))
              source.apply(home, endpointSlice(name, `203.0.113.${round}`))
              source.apply(home, kubeService(name))
            })
            yield* client.next(clusterTypeUrl)
            yield* waitForRoutable(client, "oven", `198.51.100.${round}:8080`)
            yield* client.next(listenerTypeUrl)
            yield* client.next(routeTypeUrl)
            const burst = pushes.sent.slice(before)
            assert.deepEqual([...new Set(burst)], order, `round ${round}`)
            // Only then does a client know that the new cluster exists.
            yield* client.subscribe(endpointTypeUrl, [cluster(name)])
            yield* waitForRoutable(client, name, `203.0.113.${round}:8080`)
            yield* client.unsubscribe(endpointTypeUrl, [cluster(name)])
            source.transaction(() => {
              source.delete(home, kubeService(name))
              source.delete(home, endpointSlice(name))
            })
            for (const typeUrl of [clusterTypeUrl, listenerTypeUrl, routeTypeUrl]) yield* client.next(typeUrl)
          }
        }),
      20_000
    )
  }
)
