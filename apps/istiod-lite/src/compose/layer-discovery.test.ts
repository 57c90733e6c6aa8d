import { assert, describe, it } from "@effect/vitest"
import { ServiceDiscovery } from "@istiod-lite/model"
import { layerMemoryRegistry } from "@istiod-lite/registry-memory"
import { layerFileSource } from "@istiod-lite/source-files"
import { Effect } from "effect"
import { shop } from "../testing/run-cli.ts"
import { layerDiscovery } from "./layer-discovery.ts"
import { controlPlane, defaultRegistries } from "./plugins.ts"

const source = layerFileSource({ manifests: [shop], watch: false })
const hostnames = Effect.map(ServiceDiscovery, ({ services }) =>
  [...services.values()].map((one) => one.hostname)
)

const billing = layerMemoryRegistry({ id: "billing" }, (registry) =>
  Effect.sync(() =>
    registry.setService({
      hostname: "billing.internal",
      ports: [{ name: "http", number: 80, protocol: "HTTP" }]
    })
  )
)

describe("layerDiscovery", () => {
  it.live("has the registries of the app unless told otherwise", () =>
    Effect.gen(function* () {
      assert.lengthOf(yield* Effect.provide(hostnames, layerDiscovery(controlPlane(), source)), 13)
    })
  )

  it.live("has a further registry beside them", () =>
    Effect.gen(function* () {
      const registries = [...defaultRegistries, billing]
      const found = yield* Effect.provide(hostnames, layerDiscovery(controlPlane({ registries }), source))
      assert.lengthOf(found, 14)
      assert.include(found, "billing.internal")
    })
  )

  it.live("has the memory registry alone when it takes the place of all others", () =>
    Effect.gen(function* () {
      const plugins = controlPlane({ registries: [billing] })
      assert.deepEqual(yield* Effect.provide(hostnames, layerDiscovery(plugins, source)), [
        "billing.internal"
      ])
    })
  )
})
