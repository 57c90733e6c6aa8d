import { assert, describe, it } from "@effect/vitest"
import { defaultMeshConfig } from "@istiod-lite/model"
import { Effect } from "effect"
import { composeFromInputs } from "../compose/compose-from-inputs.ts"
import { emptyMesh, put } from "../testing/recorded-plane.ts"
import { applyChange } from "./apply-change.ts"
import { readChange } from "./read-change.ts"

const entry = (name: string, spec: object = {}) => ({
  apiVersion: "networking.istio.io/v1",
  kind: "ServiceEntry",
  metadata: { name, namespace: "shop" },
  spec: {
    hosts: [`${name}.example`],
    resolution: "DNS",
    ports: [{ number: 443, name: "tls", protocol: "TLS" }],
    ...spec
  }
})

/** Two entries, of which the allocator has given an address to the first. */
const allocating = Effect.gen(function* () {
  const plane = yield* composeFromInputs({ configCluster: "Kubernetes", allocates: true })
  plane.inputs.apply({ ...emptyMesh, mesh: { ...defaultMeshConfig, addressMode: "status" } })
  plane.inputs.apply({
    ...put("Kubernetes", entry("bank")),
    statuses: [["shop/bank", [{ host: "bank.example", value: "240.240.0.1" }]]]
  })
  const change = (manifests: string, deletes = false) =>
    applyChange(plane, readChange({ manifests, deletes, cluster: undefined }, plane.inputs.source).objects)
  const addresses = () =>
    Object.fromEntries(
      [...plane.discovery.services.values()].map((it) => [it.hostname, it.autoAllocatedIpv4])
    )
  return { addresses, change }
})

describe("applyChange", () => {
  it.effect("gives new hosts addresses where an allocator does, and keeps the others'", () =>
    Effect.gen(function* () {
      const { addresses, change } = yield* allocating
      const { services } = change(JSON.stringify(entry("rates")))
      assert.deepEqual(addresses(), { "bank.example": "240.240.0.1", "rates.example": "240.240.0.2" })
      assert.deepEqual(
        services.map(({ now, old }) => [old?.hostname, now?.hostname]),
        [[undefined, "rates.example"]]
      )
    })
  )

  it.effect("moves an address that a user takes for himself", () =>
    Effect.gen(function* () {
      const { addresses, change } = yield* allocating
      change(JSON.stringify(entry("thief", { addresses: ["240.240.0.1"] })))
      assert.strictEqual(addresses()["bank.example"], "240.240.0.2")
    })
  )

  it.effect("takes away what a deleted entry had", () =>
    Effect.gen(function* () {
      const { addresses, change } = yield* allocating
      change(JSON.stringify(entry("bank")), true)
      assert.deepEqual(addresses(), {})
    })
  )
})
