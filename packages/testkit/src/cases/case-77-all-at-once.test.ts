import { assert, describe, it } from "@effect/vitest"
import { clusterTypeUrl, endpointTypeUrl, listenerTypeUrl, routeTypeUrl } from "@istiod-lite/xds-proto"
import { Effect } from "effect"
import { bakeryWith, home } from "./support/bakery.ts"
import { joinCrowd } from "./support/crowd.ts"
import { cluster, endpointSlice, kubeService } from "./support/manifests.ts"
import { standInClusters, standInListeners, standInRoutes } from "./support/stand-in-types.ts"

const services = Array.from({ length: 30 }, (_, i) => `oven-${i}`)
const sliceOf = (service: string, first: number) =>
  endpointSlice(service, `203.0.113.${first}`, ...Array.from({ length: 19 }, (_, i) => `198.51.100.${i + 1}`))

describe("case 77: all proxies connect at once", () => {
  it.live(
    "are served, and a change meanwhile reaches all",
    () =>
      Effect.gen(function* () {
        const plane = yield* bakeryWith(
          services.flatMap((service) => [kubeService(service), sliceOf(service, 1)]),
          { generators: [standInClusters, standInListeners, standInRoutes] }
        )
        const crowd = yield* joinCrowd({
          port: plane.port,
          clients: 1000,
          perConnection: 20,
          subscriptions: [
            { typeUrl: clusterTypeUrl, names: [] },
            { typeUrl: endpointTypeUrl, names: services.map(cluster) },
            { typeUrl: listenerTypeUrl, names: [] },
            { typeUrl: routeTypeUrl, names: ["80"] }
          ]
        })
        yield* crowd.next("served")
        plane.source.apply(home, sliceOf("oven-7", 2))
        // Times are measured by hand (docs/cases.md), not asserted: that nobody is starved is what is held here and,
        // turn by turn, by the tests of xds-server's turns.
        yield* crowd.next("updated")
        assert.strictEqual(plane.connections().length, 1000)
      }),
    60_000
  )
})
