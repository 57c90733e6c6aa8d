import { Graph } from "@istiod-lite/collections"
import { assertReplays, sorted } from "@istiod-lite/collections/testing"
import { assert, describe, it } from "@effect/vitest"
import {
  defaultMeshConfig,
  DiscoveryGraph,
  MeshConfig,
  meshKey,
  Registries,
  ServiceDiscovery,
  type ServiceEndpoints
} from "@istiod-lite/model"
import { endpoint, endpointGroup, service, writtenRegistry } from "@istiod-lite/model/testing"
import { Context, Effect, Layer } from "effect"
import * as fc from "fast-check"
import { layerRegistries } from "./registries.ts"
import { layerServiceDiscovery } from "./service-discovery.ts"

const registries = ["Kubernetes/c1", "Kubernetes/c2", "External/c1"] as const
type RegistryId = (typeof registries)[number]

const id = fc.constantFrom(...registries)
const hostname = fc.constantFrom("a.example", "b.example")
const write = fc.oneof(
  fc.record({ kind: fc.constant("registry" as const), id, there: fc.boolean() }),
  fc.record({
    kind: fc.constant("service" as const),
    id,
    hostname,
    created: fc.constantFrom("2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z"),
    there: fc.boolean()
  }),
  fc.record({
    kind: fc.constant("endpoints" as const),
    id,
    hostname,
    slice: fc.constantFrom("s1", "s2"),
    version: fc.constantFrom("1", "2"),
    addresses: fc.subarray(["10.0.0.1", "10.0.0.2"]),
    there: fc.boolean()
  })
)
type Write = typeof write extends fc.Arbitrary<infer W> ? W : never
const transactions = fc.array(fc.array(write, { minLength: 1, maxLength: 4 }), { maxLength: 12 })

/** A phone book, and three registries that may be added to it. */
const make = () => {
  const graph = new Graph()
  const mesh = graph.source<typeof defaultMeshConfig>("mesh")
  mesh.set(meshKey, defaultMeshConfig)
  const inputs = Layer.merge(Layer.succeed(DiscoveryGraph, graph), Layer.succeed(MeshConfig, mesh))
  const layer = layerServiceDiscovery.pipe(Layer.provideMerge(layerRegistries), Layer.provide(inputs))
  const context = Effect.runSync(Effect.scoped(Layer.build(layer)))
  const written = new Map(
    registries.map((of) => {
      const [provider = "", cluster = ""] = of.split("/")
      return [of, writtenRegistry(graph, { provider, cluster })] as const
    })
  )
  const removals = new Map<RegistryId, () => void>()
  const setRegistry = (of: RegistryId, there: boolean): void => {
    if (there === removals.has(of)) return
    if (there) removals.set(of, Context.get(context, Registries).add(written.get(of)!.registry))
    else removals.get(of)?.()
    if (!there) removals.delete(of)
  }
  const apply = (one: Write): void => {
    const { endpoints, registry, services } = written.get(one.id)!
    const { cluster, provider } = registry
    switch (one.kind) {
      case "registry":
        return setRegistry(one.id, one.there)
      case "service": {
        const key = `${one.id}|${one.hostname}`
        const { created: creationTime, hostname } = one
        if (!one.there) return services.delete(key)
        return services.set(
          key,
          service({ hostname, provider, cluster, creationTime, clusterVips: { [cluster]: ["10.96.0.1"] } })
        )
      }
      case "endpoints": {
        const key = `${one.id}|${one.hostname}|${one.slice}`
        if (!one.there) return endpoints.delete(key)
        return endpoints.set(
          key,
          endpointGroup({
            hostname: one.hostname,
            shard: one.id,
            slice: { name: one.slice, resourceVersion: one.version, creationTime: "" },
            endpoints: one.addresses.map((address) =>
              endpoint({ addresses: [address], serviceAccount: one.id })
            )
          })
        )
      }
    }
  }
  const discovery = Context.get(context, ServiceDiscovery)
  return { graph, apply, discovery }
}

/** What is told, without the accounts that are remembered (S-45). */
const told = ({ endpoints, services }: ReturnType<typeof make>["discovery"]) => ({
  services: sorted(services),
  endpoints: sorted<ServiceEndpoints>(endpoints).map(([key, { groups }]) => [
    key,
    groups.filter((group) => group.endpoints.length > 0).map(({ endpoints, shard }) => ({ endpoints, shard }))
  ])
})

describe("layerServiceDiscovery, for any registries, order and batches (D-5)", () => {
  it("tells what one tells that is built from the final state, remembered accounts excepted", () => {
    fc.assert(
      fc.property(transactions, (batches) => {
        const { apply, discovery, graph } = make()
        const checks = [discovery.services, discovery.endpoints].map((of) => assertReplays<unknown>(of))
        const final = new Map<string, Write>()
        for (const batch of batches) {
          graph.transaction(() => batch.forEach(apply))
          for (const one of batch)
            final.set(
              [one.kind, one.id, "hostname" in one && one.hostname, "slice" in one && one.slice].join(),
              one
            )
        }
        const scratch = make()
        for (const one of [...final.values()].toReversed()) scratch.apply(one)
        assert.deepEqual(told(discovery), told(scratch.discovery))
        for (const check of checks) check()
      }),
      { numRuns: 200 }
    )
  })

  it("keeps nothing of what is gone", () => {
    fc.assert(
      fc.property(transactions, (batches) => {
        const { apply, graph } = make()
        const before = graph.sizes()
        for (const one of batches.flat()) apply(one)
        for (const one of batches.flat()) apply({ ...one, there: false })
        assert.deepEqual(graph.sizes(), before)
      })
    )
  })
})
