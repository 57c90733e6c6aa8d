import { assert, describe, it } from "@effect/vitest"
import { proxy } from "@istiod-lite/model/testing"
import { makeRemoteClusters, watchCluster } from "@istiod-lite/source-kube"
import { FakeApi, failure, FakeKubeClient } from "@istiod-lite/source-kube/testing"
import { endpointTypeUrl } from "@istiod-lite/xds-proto"
import { Effect, References } from "effect"
import { TestClock } from "effect/testing"
import { makeControlPlane } from "../control-plane.ts"
import { cluster, endpointSlice, kubeService } from "./support/manifests.ts"
import { routable } from "./support/received.ts"

const web = proxy({ name: "web", namespace: "bakery" })

/** An API server that has an oven at this address. */
const ovenAt = (address: string): FakeKubeClient => {
  const api = new FakeApi()
  api.put(kubeService("oven"))
  api.put(endpointSlice("oven", address))
  return new FakeKubeClient(api)
}

/** A control plane whose secrets name `south`, which is fine, and `west`, to which no packet gets through. */
const start = Effect.gen(function* () {
  const south = ovenAt("203.0.113.21")
  const west = ovenAt("203.0.113.31")
  west.fault = (request) => failure(request, { detail: "no route to host" })
  const { graph, objects, resources, source } = yield* makeControlPlane({ synced: false })
  const { store } = source
  const { configCluster } = objects
  yield* watchCluster({ client: ovenAt("198.51.100.21"), cluster: configCluster, graph, store })
  const remote = yield* makeRemoteClusters({
    graph,
    store,
    clusterTimeout: "3 seconds",
    connect: (named) => Effect.succeed(named.cluster === "south" ? south : west)
  })
  const kubeconfig = Buffer.from("any").toString("base64")
  remote.set([{ metadata: { name: "both" }, data: { south: kubeconfig, west: kubeconfig } }])
  return {
    west,
    synced: objects.synced,
    states: () => remote.statuses().map((status) => [status.cluster, status.state]),
    errorOf: (id: string) => remote.statuses().find((status) => status.cluster === id)?.error,
    missing: () => objects.clusters.get("west")?.stale?.()?.because,
    routable: () => routable(resources(endpointTypeUrl, [cluster("oven")], web)[0])
  }
})

describe("case 44: a cluster does not answer when the control plane starts", () => {
  it.effect("is waited for so long, then named as missing, and served when it answers", () =>
    Effect.gen(function* () {
      const plane = yield* start
      yield* TestClock.adjust("2900 millis")
      assert.isFalse(plane.synced())
      yield* TestClock.adjust("100 millis")
      assert.isTrue(plane.synced())
      assert.deepEqual(plane.routable(), ["198.51.100.21:8080", "203.0.113.21:8080"])
      assert.deepEqual(plane.states(), [
        ["south", "synced"],
        ["west", "timeout"]
      ])
      assert.match(plane.errorOf("west") ?? "", /no route to host/)
      assert.match(plane.missing() ?? "", /^cluster west is not synced: .*no route to host/)
      plane.west.fault = () => undefined
      yield* TestClock.adjust("30 seconds")
      assert.deepEqual(plane.routable(), ["198.51.100.21:8080", "203.0.113.21:8080", "203.0.113.31:8080"])
      assert.isUndefined(plane.missing())
    }).pipe(Effect.provideService(References.MinimumLogLevel, "Error"))
  )
})
