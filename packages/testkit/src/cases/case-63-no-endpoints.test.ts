import { assert, describe, it } from "@effect/vitest"
import { endpointTypeUrl } from "@istiod-lite/xds-proto"
import { Effect } from "effect"
import { bakeryWith } from "./support/bakery.ts"
import { cluster, endpointSlice, kubeService, sidecar } from "./support/manifests.ts"
import { namesOf, routable } from "./support/received.ts"

describe.each([{ delta: false }, { delta: true }])(
  "case 63: a proxy starts while a service is empty, delta $delta",
  (mode) => {
    it.live("is told of every cluster it asks for, with nothing in it where there is nothing", () =>
      Effect.gen(function* () {
        const { connect } = yield* bakeryWith([
          kubeService("oven"),
          endpointSlice("oven", "198.51.100.21"),
          kubeService("shop")
        ])
        const client = yield* connect(sidecar("web"), mode)
        const asked = [cluster("cake.example"), cluster("oven"), cluster("shop")]
        yield* client.subscribe(endpointTypeUrl, asked)
        const response = yield* client.next(endpointTypeUrl)
        assert.deepEqual(namesOf(response), asked.toSorted())
        assert.deepEqual(response.removed, [])
        const found = Object.fromEntries(response.resources.map((one) => [one.name, routable(one)]))
        assert.deepEqual(found, {
          [cluster("oven")]: ["198.51.100.21:8080"],
          [cluster("shop")]: [],
          [cluster("cake.example")]: []
        })
      })
    )
  }
)
