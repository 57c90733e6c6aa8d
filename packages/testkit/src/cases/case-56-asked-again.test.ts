import { assert, describe, it } from "@effect/vitest"
import { endpointTypeUrl } from "@istiod-lite/xds-proto"
import { Effect } from "effect"
import { bakeryWith, settle } from "./support/bakery.ts"
import { cluster, endpointSlice, kubeService, sidecar } from "./support/manifests.ts"
import { namesOf, routable } from "./support/received.ts"

describe.each([{ delta: false }, { delta: true }])(
  "case 56: a name given up and asked for again, delta $delta",
  (mode) => {
    it.live("is answered though nothing changed; giving it up is not", () =>
      Effect.gen(function* () {
        const plane = yield* bakeryWith([
          kubeService("oven"),
          endpointSlice("oven", "198.51.100.21"),
          kubeService("till"),
          endpointSlice("till", "198.51.100.31")
        ])
        const client = yield* plane.connect(sidecar("web"), mode)
        yield* client.subscribe(endpointTypeUrl, [cluster("oven"), cluster("till")])
        assert.deepEqual(namesOf(yield* client.next(endpointTypeUrl)), [cluster("oven"), cluster("till")])
        yield* settle(plane, client)
        yield* client.unsubscribe(endpointTypeUrl, [cluster("till")])
        yield* settle(plane, client)
        assert.strictEqual(client.waiting(endpointTypeUrl), 0)
        yield* client.subscribe(endpointTypeUrl, [cluster("till")])
        const again = yield* client.next(endpointTypeUrl)
        assert.deepEqual(namesOf(again), [cluster("till")])
        assert.deepEqual(routable(again.resources[0]), ["198.51.100.31:8080"])
      })
    )
  }
)
