import { assert, describe, it } from "@effect/vitest"
import { clusterTypeUrl, endpointTypeUrl } from "@istiod-lite/xds-proto"
import { Effect } from "effect"
import { bakeryWith, home, settle } from "./support/bakery.ts"
import { cluster, serviceEntry, sidecar } from "./support/manifests.ts"
import { routable } from "./support/received.ts"
import { watchPushes } from "./support/pushes.ts"
import { standInClusters } from "./support/stand-in-types.ts"

const host = "mill.partner.example"
const name = cluster(host)

describe.each([{ delta: false }, { delta: true }])(
  "case 64: a host becomes resolved by DNS, delta $delta",
  (mode) => {
    it.live(
      "has no endpoints by EDS any more, and has them again, after its cluster, when it goes back",
      () =>
        Effect.gen(function* () {
          const pushes = yield* watchPushes
          const plane = yield* bakeryWith([serviceEntry("mill", host, ["192.0.2.81"])], {
            generators: [standInClusters],
            server: { observers: [pushes.observer] }
          })
          const client = yield* plane.connect(sidecar("web"), mode)
          const endpoints = () => routable(client.resources(endpointTypeUrl).get(name))
          yield* client.subscribe(clusterTypeUrl, [])
          yield* client.next(clusterTypeUrl)
          yield* client.subscribe(endpointTypeUrl, [name])
          yield* client.next(endpointTypeUrl)
          assert.deepEqual(endpoints(), ["192.0.2.81:80"])

          plane.source.apply(home, serviceEntry("mill", host, []))
          yield* client.next(clusterTypeUrl)
          yield* client.next(endpointTypeUrl)
          assert.deepEqual(endpoints(), [])
          // The client may still list the name.
          yield* client.askAgain(endpointTypeUrl)
          yield* settle(plane, client)
          assert.deepEqual(endpoints(), [])

          const before = pushes.sent.length
          plane.source.apply(home, serviceEntry("mill", host, ["192.0.2.82"]))
          yield* client.next(clusterTypeUrl)
          yield* client.waitFor(endpointTypeUrl, () => endpoints()[0] === "192.0.2.82:80")
          assert.deepEqual(pushes.sent.slice(before, before + 2), [clusterTypeUrl, endpointTypeUrl])
        })
    )
  }
)
