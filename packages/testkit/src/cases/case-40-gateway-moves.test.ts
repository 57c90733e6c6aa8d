import { assert, describe, it } from "@effect/vitest"
import { defaultMeshConfig, meshKey } from "@istiod-lite/model"
import { endpointTypeUrl } from "@istiod-lite/xds-proto"
import { Effect } from "effect"
import { bakeryWith, home } from "./support/bakery.ts"
import { cluster, endpointSlice, kubeService, pod, sidecar } from "./support/manifests.ts"
import { weighted } from "./support/received.ts"

const behind = (address: string) => ({
  networks: {
    west: { endpoints: [{ fromRegistry: "west" }], gateways: [{ address, port: 15443 }] }
  }
})

describe("case 40: the gateway of a network gets another address", () => {
  it.live("is what clients of other networks are told, weighed by what stands behind it", () =>
    Effect.gen(function* () {
      const { connect, mesh, source } = yield* bakeryWith(
        [kubeService("oven"), endpointSlice("oven", "198.51.100.21", "198.51.100.22")],
        { mesh: behind("203.0.113.31") }
      )
      const westHas = (count: number) =>
        source.transaction(() => {
          const indexes = Array.from({ length: count }, (_, i) => i + 1)
          source.apply("west", kubeService("oven"))
          for (const i of indexes) source.apply("west", pod(`oven-w${i}`, "oven", `203.0.113.12${i}`))
          const endpoints = indexes.map((i) => ({
            address: `203.0.113.12${i}`,
            ready: true,
            pod: `oven-w${i}`
          }))
          source.apply("west", endpointSlice("oven", ...endpoints))
        })
      westHas(3)
      const client = yield* connect(sidecar("web", { NETWORK: "east", CLUSTER_ID: home }))
      const next = Effect.map(client.next(endpointTypeUrl), ({ resources }) => weighted(resources[0]))
      const near = ["198.51.100.21:8080*1", "198.51.100.22:8080*1"]
      yield* client.subscribe(endpointTypeUrl, [cluster("oven")])
      assert.deepEqual(yield* next, [...near, "203.0.113.31:15443*3"])

      mesh.set(meshKey, { ...defaultMeshConfig, ...behind("203.0.113.32") })
      assert.deepEqual(yield* next, [...near, "203.0.113.32:15443*3"])

      westHas(4)
      assert.deepEqual(yield* next, [...near, "203.0.113.32:15443*4"])

      const west = yield* connect(sidecar("web-w", { NETWORK: "west", CLUSTER_ID: "west" }))
      yield* west.subscribe(endpointTypeUrl, [cluster("oven")])
      assert.deepEqual(weighted((yield* west.next(endpointTypeUrl)).resources[0]), [
        ...near,
        ...[1, 2, 3, 4].map((i) => `203.0.113.12${i}:8080*1`)
      ])
    })
  )
})
