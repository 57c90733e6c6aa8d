import { assert, describe, it } from "@effect/vitest"
import { failure } from "@istiod-lite/source-kube/testing"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { followedBakery } from "./support/api-server.ts"
import { endpointSlice, kubeService } from "./support/manifests.ts"

describe("case 68: the API server fails for a minute", () => {
  it.effect("is asked again, not too often, keeps its endpoints meanwhile, and is followed again", () =>
    Effect.gen(function* () {
      const bakery = yield* followedBakery([kubeService("oven"), endpointSlice("oven", "198.51.100.21")])
      const { api, client, graph } = bakery
      yield* TestClock.adjust("1 minute")
      const before = client.requests.length
      client.fault = (request) => failure(request, { status: 500 })
      for (const watch of client.watches) watch.cut()
      yield* TestClock.adjust("30 seconds")
      client.fault = (request) => failure(request)
      api.put(endpointSlice("oven", "198.51.100.22"))
      yield* TestClock.adjust("30 seconds")
      assert.deepEqual(bakery.routable("oven"), ["198.51.100.21:8080"])
      const asked = Map.groupBy(client.requests.slice(before), ({ path }) => path)
      for (const [path, requests] of asked) assert.isAtMost(requests.length, 20, path)
      client.fault = () => undefined
      let commits = 0
      graph.onCommit(() => void commits++)
      yield* TestClock.adjust("35 seconds")
      assert.deepEqual(bakery.routable("oven"), ["198.51.100.22:8080"])
      assert.strictEqual(commits, 1)
      assert.lengthOf(bakery.watchOf("endpointslices"), 1)
    })
  )
})
