import { DiscoveryGraph, Registries } from "@istiod-lite/model"
import { Effect, Layer, type Scope } from "effect"
import { makeMemoryRegistry, type MemoryRegistry, type MemoryRegistryOptions } from "./memory-registry.ts"

/**
 * Adds a registry that is driven by code to the control plane, for as long as the layer lives; it goes with all it
 * brought.
 *
 * @param setup fills it, and may start what keeps it up to date: its scope ends with the layer. It runs before the
 * control plane serves anybody.
 */
export const layerMemoryRegistry = <E = never, R = never>(
  options: MemoryRegistryOptions,
  setup: (registry: MemoryRegistry) => Effect.Effect<unknown, E, R> = () => Effect.void
): Layer.Layer<never, E, DiscoveryGraph | Registries | Exclude<R, Scope.Scope>> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const graph = yield* DiscoveryGraph
      const registries = yield* Registries
      const scope = yield* Effect.acquireRelease(
        Effect.sync(() =>
          graph.scope(() => {
            const memory = makeMemoryRegistry(graph, options)
            return { memory, remove: registries.add(memory.registry) }
          })
        ),
        ({ dispose, value }) =>
          Effect.sync(() =>
            graph.transaction(() => {
              value.remove()
              dispose()
            })
          )
      )
      yield* setup(scope.value.memory)
    })
  )
