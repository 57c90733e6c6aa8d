import { assert, describe, it } from "@effect/vitest"
import { endpointTypeUrl } from "@istiod-lite/xds-proto"
import { Effect } from "effect"
import { bakeryWith, home, settle, waitForRoutable } from "./support/bakery.ts"
import { cluster, endpointSlice, kubeService, pod, sidecar } from "./support/manifests.ts"
import { routable } from "./support/received.ts"

const address = (index: number): string => `198.51.100.${20 + index}`
const ready = (index: number, isReady: boolean) => ({
  address: address(index),
  ready: isReady,
  pod: `oven-${index}`
})

describe.each([{ delta: false }, { delta: true }])(
  "case 24: a pod first seen unready, delta $delta",
  (mode) => {
    it.live("is announced once it is ready, and so is one that becomes ready again", () =>
      Effect.gen(function* () {
        const plane = yield* bakeryWith([
          kubeService("oven"),
          pod("oven-1", "oven", address(1)),
          endpointSlice("oven", ready(1, true))
        ])
        const { source } = plane
        const client = yield* plane.connect(sidecar("web"), mode)
        yield* client.subscribe(endpointTypeUrl, [cluster("oven")])
        yield* waitForRoutable(client, "oven", "198.51.100.21:8080")
        const readiness = (first: boolean, second: boolean) =>
          source.transaction(() => {
            source.apply(home, pod("oven-1", "oven", address(1), first))
            source.apply(home, pod("oven-2", "oven", address(2), second))
            source.apply(home, endpointSlice("oven", ready(1, first), ready(2, second)))
          })
        readiness(true, false)
        yield* settle(plane, client)
        assert.deepEqual(routable(client.resources(endpointTypeUrl).get(cluster("oven"))), [
          "198.51.100.21:8080"
        ])
        readiness(true, true)
        yield* waitForRoutable(client, "oven", "198.51.100.21:8080", "198.51.100.22:8080")
        readiness(false, true)
        yield* waitForRoutable(client, "oven", "198.51.100.22:8080")
        readiness(true, true)
        yield* waitForRoutable(client, "oven", "198.51.100.21:8080", "198.51.100.22:8080")
      })
    )
  }
)
