import { assert, describe, it } from "@effect/vitest"
import { endpointTypeUrl } from "@istiod-lite/xds-proto"
import { Effect } from "effect"
import { bakeryWith, home, waitForRoutable } from "./support/bakery.ts"
import { cluster, serviceEntry, sidecar } from "./support/manifests.ts"
import { megabytesInUse } from "./support/memory.ts"
import { routable } from "./support/received.ts"

const renames = 500
const named = (turn: number) => serviceEntry("mill", `mill-${turn}.example`, ["192.0.2.81"])

describe("case 71: the host of a ServiceEntry is renamed again and again", () => {
  it.live(
    "leaves the last one, and nothing once it is deleted",
    () =>
      Effect.gen(function* () {
        const { discovery, graph, source } = yield* bakeryWith([])
        const empty = graph.sizes()
        source.apply(home, named(0))
        const once = graph.sizes()
        const before = yield* megabytesInUse
        for (let turn = 1; turn <= renames; turn++) source.apply(home, named(turn))
        assert.deepEqual(
          [...discovery.services.values()].map(({ hostname }) => hostname),
          [`mill-${renames}.example`]
        )
        assert.strictEqual(discovery.endpoints.size, 1)
        assert.deepEqual(graph.sizes(), once)
        assert.isBelow((yield* megabytesInUse) - before, 5)
        source.delete(home, named(0))
        assert.deepEqual(graph.sizes(), empty)
      }),
    20_000
  )

  it.live("takes the endpoints of the old host from those who have them", () =>
    Effect.gen(function* () {
      const { connect, source } = yield* bakeryWith([named(0)])
      const client = yield* connect(sidecar("web"))
      yield* client.subscribe(endpointTypeUrl, [cluster("mill-0.example"), cluster("mill-1.example")])
      yield* waitForRoutable(client, "mill-0.example", "192.0.2.81:80")
      source.apply(home, named(1))
      yield* waitForRoutable(client, "mill-1.example", "192.0.2.81:80")
      assert.deepEqual(routable(client.resources(endpointTypeUrl).get(cluster("mill-0.example"))), [])
    })
  )
})
