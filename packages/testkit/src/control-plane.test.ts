import { untracked } from "@istiod-lite/collections"
import { assert, describe, it } from "@effect/vitest"
import { defaultMeshConfig, meshKey, parseProxy } from "@istiod-lite/model"
import { layerMemoryRegistry } from "@istiod-lite/registry-memory"
import { endpointTypeUrl, resourceToJson } from "@istiod-lite/xds-proto"
import { Effect } from "effect"
import { makeControlPlane } from "./control-plane.ts"

const entry = {
  apiVersion: "networking.istio.io/v1",
  kind: "ServiceEntry",
  metadata: { name: "erp", namespace: "shop" },
  spec: {
    hosts: ["erp.corp.example"],
    ports: [{ number: 80, name: "http", protocol: "HTTP" }],
    resolution: "STATIC",
    endpoints: [{ address: "192.0.2.1" }]
  }
}
const client = parseProxy({
  id: "sidecar~10.0.0.1~web-1.shop~shop.svc.cluster.local",
  metadata: { DNS_CAPTURE: "true" }
})
const cluster = "outbound|80||erp.corp.example"

describe("makeControlPlane", () => {
  it.effect("answers as soon as an object is applied or deleted", () =>
    Effect.gen(function* () {
      const { discovery, policy, resources, source } = yield* makeControlPlane()
      source.apply("Kubernetes", entry)
      assert.deepEqual(policy.clusterNames(untracked, policy.viewOf(untracked, client)), [cluster])
      const [full] = resources(endpointTypeUrl, [cluster], client)
      source.delete("Kubernetes", entry)
      const [empty] = resources(endpointTypeUrl, [cluster], client)
      assert.strictEqual(discovery.services.size, 0)
      assert.isAbove(full!.bytes.length, empty!.bytes.length)
    })
  )

  it.effect("serves whatever registries it is given", () =>
    Effect.gen(function* () {
      const { discovery, resources } = yield* makeControlPlane({
        registries: layerMemoryRegistry({ id: "machines" }, (memory) =>
          Effect.sync(() => {
            const erp = { hostname: "erp.corp.example", namespace: "shop" }
            memory.setService({ ...erp, ports: [{ name: "http", number: 80, protocol: "HTTP" }] })
            memory.setEndpoints(erp, [{ addresses: ["192.0.2.1"], port: 8080 }])
          })
        )
      })
      assert.deepEqual(
        [...discovery.services.values()].map(({ hostname }) => hostname),
        ["erp.corp.example"]
      )
      const [assignment] = resources(endpointTypeUrl, [cluster], client)
      assert.include(JSON.stringify(resourceToJson(endpointTypeUrl, assignment!.bytes)), "192.0.2.1")
    })
  )

  it.effect("follows a change of the mesh configuration", () =>
    Effect.gen(function* () {
      const { discovery, mesh, source } = yield* makeControlPlane({ mesh: { addressMode: "status" } })
      const automatic = () => [...discovery.services.values()].map((service) => service.autoAllocatedIpv4)
      source.apply("Kubernetes", entry)
      assert.deepEqual(automatic(), [""])
      mesh.set(meshKey, { ...defaultMeshConfig, addressMode: "stable" })
      assert.match(automatic()[0]!, /^240\.240\./)
    })
  )

  it.effect("refuses to make resources of a type that nothing serves", () =>
    Effect.gen(function* () {
      const { resources } = yield* makeControlPlane()
      assert.throws(() => resources("type.example/unknown", [], client), /no generator serves/)
    })
  )
})
