import { untracked } from "@istiod-lite/collections"
import { assert, describe, it } from "@effect/vitest"
import { DiscoveryGraph, parseProxy, Registries, ServiceDiscovery } from "@istiod-lite/model"
import { endpointsJson, servicesJson } from "@istiod-lite/registry-aggregate"
import { makeMemoryRegistry } from "@istiod-lite/registry-memory"
import { Effect } from "effect"
import { shopSource } from "../testing/shop-source.ts"
import { copyControlPlane } from "./copy-control-plane.ts"
import { noInputChanges } from "./inputs.ts"
import { layerDiscovery } from "./layer-discovery.ts"
import { controlPlane } from "./plugins.ts"

const running = layerDiscovery(controlPlane(), shopSource)

const asJson = ({ endpoints, services }: ServiceDiscovery["Service"]) => ({
  services: servicesJson(services.values()),
  endpoints: endpointsJson(endpoints.values())
})

describe("copyControlPlane", () => {
  it.effect("answers what the original answers", () =>
    Effect.gen(function* () {
      const original = yield* ServiceDiscovery
      const { discovery } = yield* copyControlPlane
      assert.deepEqual(asJson(discovery), asJson(original))
    }).pipe(Effect.provide(running))
  )

  it.effect("is changed without the original, and leaves nothing in it", () =>
    Effect.gen(function* () {
      const graph = yield* DiscoveryGraph
      const original = yield* ServiceDiscovery
      const before = { json: asJson(original), sizes: graph.sizes(), stats: graph.stats }
      yield* Effect.scoped(
        Effect.gen(function* () {
          const { discovery, inputs } = yield* copyControlPlane
          inputs.apply({ ...noInputChanges, clusters: [["Kubernetes", false]] })
          assert.strictEqual(discovery.services.size, 0)
        })
      )
      assert.deepEqual({ json: asJson(original), sizes: graph.sizes(), stats: graph.stats }, before)
    }).pipe(Effect.provide(running))
  )

  it.effect("takes over what registries of other kinds know", () =>
    Effect.gen(function* () {
      const machines = { id: "machines", provider: "Machines", cluster: "dc1" }
      const memory = makeMemoryRegistry(yield* DiscoveryGraph, machines)
      const registries = yield* Registries
      registries.add(memory.registry)
      const name = { hostname: "mainframe.corp", namespace: "legacy" }
      memory.setService({ ...name, ports: [{ name: "http", number: 80, protocol: "HTTP" }] })
      memory.setEndpoints(name, [{ addresses: ["192.0.2.7"], port: 8080 }])

      const original = yield* ServiceDiscovery
      const { discovery } = yield* copyControlPlane
      assert.deepEqual(asJson(discovery), asJson(original))
      const proxy = parseProxy({ id: "sidecar~192.0.2.7~m.legacy~legacy.svc.cluster.local", metadata: {} })
      assert.deepEqual(discovery.targets(untracked, proxy), original.targets(untracked, proxy))
      memory.removeService(name)
      assert.strictEqual(discovery.byHostname.lookup("mainframe.corp").length, 1)
    }).pipe(Effect.provide(running))
  )
})
