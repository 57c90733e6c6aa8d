import { assert, describe, it } from "@effect/vitest"
import { clusterTypeUrl, endpointTypeUrl } from "@istiod-lite/xds-proto"
import { Effect } from "effect"
import { bakeryWith, home, settle } from "./support/bakery.ts"
import { cluster, destinationRule, endpointSlice, kubeService, sidecar } from "./support/manifests.ts"
import { namesOf, routable } from "./support/received.ts"
import { watchPushes } from "./support/pushes.ts"
import { standInClusters } from "./support/stand-in-types.ts"

const till = [kubeService("till"), endpointSlice("till", "198.51.100.31")]

/** A client that has the clusters and endpoints of `oven` and `till`. */
const warm = (mode: { readonly delta: boolean }) =>
  Effect.gen(function* () {
    const pushes = yield* watchPushes
    const plane = yield* bakeryWith([kubeService("oven"), endpointSlice("oven", "198.51.100.21"), ...till], {
      generators: [standInClusters],
      server: { observers: [pushes.observer] }
    })
    const client = yield* plane.connect(sidecar("web"), mode)
    yield* client.subscribe(clusterTypeUrl, [])
    yield* client.next(clusterTypeUrl)
    yield* client.subscribe(endpointTypeUrl, [cluster("oven"), cluster("till")])
    yield* client.next(endpointTypeUrl)
    /** What Envoy does when clusters came: on state-of-the-world streams it asks for their endpoints. */
    const askForEndpoints = mode.delta ? Effect.void : client.askAgain(endpointTypeUrl)
    return { plane, client, askForEndpoints, pushes }
  })

describe.each([{ delta: false }, { delta: true }])(
  "case 58: clusters changed, endpoints did not, delta $delta",
  (mode) => {
    it.live("sends endpoints after the clusters that wait for them, once", () =>
      Effect.gen(function* () {
        const { askForEndpoints, client, plane, pushes } = yield* warm(mode)
        const before = pushes.sent.length
        plane.source.apply(home, destinationRule("oven", { outlierDetection: { minHealthPercent: 20 } }))
        yield* client.next(clusterTypeUrl)
        yield* askForEndpoints
        const endpoints = yield* client.next(endpointTypeUrl)
        assert.include(namesOf(endpoints), cluster("oven"))
        assert.deepEqual(routable(client.resources(endpointTypeUrl).get(cluster("oven"))), [
          "198.51.100.21:8080"
        ])
        assert.deepEqual(pushes.sent.slice(before), [clusterTypeUrl, endpointTypeUrl])
        // Its acknowledgement is not taken for a question.
        plane.source.apply(home, endpointSlice("till", "198.51.100.32"))
        const next = yield* client.next(endpointTypeUrl)
        assert.deepEqual(namesOf(next), [cluster("till")])
      })
    )

    it.live("sends the endpoints of a service that went and came back as it was", () =>
      Effect.gen(function* () {
        const { askForEndpoints, client, plane } = yield* warm(mode)
        plane.source.transaction(() => till.forEach((one) => plane.source.delete(home, one)))
        yield* client.waitFor(clusterTypeUrl, (clusters) => !clusters.has(cluster("till")))
        yield* askForEndpoints
        plane.source.transaction(() => till.forEach((one) => plane.source.apply(home, one)))
        yield* client.waitFor(clusterTypeUrl, (clusters) => clusters.has(cluster("till")))
        yield* askForEndpoints
        yield* client.waitFor(
          endpointTypeUrl,
          (assignments) => routable(assignments.get(cluster("till")))[0] === "198.51.100.31:8080"
        )
        yield* settle(plane, client)
        assert.deepEqual(routable(client.resources(endpointTypeUrl).get(cluster("till"))), [
          "198.51.100.31:8080"
        ])
      })
    )
  }
)
