import { assert, describe, it } from "@effect/vitest"
import { outboundCluster } from "@istiod-lite/mesh-policy"
import { connectXdsTestClient } from "@istiod-lite/testkit"
import { endpointTypeUrl } from "@istiod-lite/xds-proto"
import { XdsServer } from "@istiod-lite/xds-server"
import { Context, Effect, Layer } from "effect"
import { layerDiscovery } from "../compose/layer-discovery.ts"
import { controlPlane } from "../compose/plugins.ts"
import { layerXds } from "../serve/layer-xds.ts"
import { shopSource } from "../testing/shop-source.ts"
import { audit } from "./audit.ts"
import { makeRunning } from "./rebuild.ts"

const names = ["cart", "catalog", "frontend"].map((name) =>
  outboundCluster(`${name}.shop.svc.cluster.local`, 80)
)
const plugins = controlPlane()

describe("audit of a server", () => {
  it.live("compares what clients of both protocols have acknowledged", () =>
    Effect.gen(function* () {
      const context = yield* Layer.build(
        layerXds(plugins, { port: 0 }).pipe(Layer.provideMerge(layerDiscovery(plugins, shopSource)))
      )
      const { address, connections } = Context.get(context, XdsServer)
      for (const delta of [true, false]) {
        const client = yield* connectXdsTestClient({ port: address.port, node: `edge-${delta}`, delta })
        yield* client.subscribe(endpointTypeUrl, names)
        yield* client.waitFor(endpointTypeUrl, (resources) => names.every((name) => resources.has(name)))
      }
      const running = yield* Effect.provide(makeRunning(plugins), context)
      assert.isDefined(running)
      const acknowledged = Effect.suspend(() => audit(running, names, connections)).pipe(
        // The last acknowledgement is still on its way.
        Effect.repeat({ until: ({ checked }) => checked === 2 * names.length })
      )
      assert.deepEqual(yield* acknowledged, { checked: 6, drifts: [] })
    })
  )
})
