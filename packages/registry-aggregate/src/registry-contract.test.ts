import { Graph } from "@istiod-lite/collections"
import { assert, describe, it } from "@effect/vitest"
import {
  defaultMeshConfig,
  DiscoveryGraph,
  MeshConfig,
  meshKey,
  Registries,
  ServiceDiscovery
} from "@istiod-lite/model"
import {
  endpointGroup,
  entryService,
  registryContract,
  type RegistrySubject,
  service,
  writtenRegistry
} from "@istiod-lite/model/testing"
import { Context, Effect, Layer } from "effect"
import { layerRegistries } from "./registries.ts"
import { layerServiceDiscovery } from "./service-discovery.ts"

/** The aggregate of two clusters and a registry of other services. */
const makeSubject = (): RegistrySubject => {
  const graph = new Graph()
  const mesh = graph.source<typeof defaultMeshConfig>("mesh")
  mesh.set(meshKey, defaultMeshConfig)
  const inputs = Layer.merge(Layer.succeed(DiscoveryGraph, graph), Layer.succeed(MeshConfig, mesh))
  const layer = layerServiceDiscovery.pipe(Layer.provideMerge(layerRegistries), Layer.provide(inputs))
  const context = Effect.runSync(Effect.scoped(Layer.build(layer)))
  const registries = Context.get(context, Registries)
  const written = [
    writtenRegistry(graph, { provider: "Kubernetes", cluster: "c1", precedence: 0 }),
    writtenRegistry(graph, { provider: "Kubernetes", cluster: "c2" }),
    writtenRegistry(graph, { provider: "External", cluster: "c1" })
  ]
  for (const { registry } of written) registries.add(registry)
  return {
    graph,
    registry: {
      ...Context.get(context, ServiceDiscovery),
      shards: written.map(({ registry }) => registry.id)
    },
    changes: written.flatMap(({ endpoints, registry, services }) => {
      const { cluster, id, provider } = registry
      const key = `${id}|reviews`
      const of =
        provider === "Kubernetes"
          ? service({ cluster, clusterVips: { [cluster]: ["10.96.0.1"] } })
          : entryService({ hostname: service().hostname })
      return [
        {
          name: `service of ${id}`,
          apply: () => services.set(key, of),
          undo: () => services.delete(key)
        },
        {
          name: `endpoints of ${id}`,
          apply: () => endpoints.set(key, endpointGroup({ shard: id })),
          undo: () => endpoints.delete(key)
        }
      ]
    })
  }
}

describe("layerServiceDiscovery keeps the registry contract", () => {
  it.each(registryContract(makeSubject))("$name", ({ check }) => assert.doesNotThrow(check))
})
