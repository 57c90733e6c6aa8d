import {
  DiscoveryGraph,
  type EndpointGroup,
  type NetworkGateway,
  Registries,
  type Registry,
  type Service
} from "@istiod-lite/model"
import { Effect, Layer } from "effect"

/** The set of registries, empty at first. Their collections are merged here, so that adding and removing is one transaction. */
export const layerRegistries: Layer.Layer<Registries, never, DiscoveryGraph> = Layer.effect(
  Registries,
  Effect.map(DiscoveryGraph, (graph) => {
    const all = graph.source<Registry>("registries")
    const services = graph.merge<Service>("all services")
    const endpoints = graph.merge<EndpointGroup>("all endpoints")
    const gateways = graph.merge<NetworkGateway>("all gateways")
    const taken = new Set<string>()

    const add = (registry: Registry): (() => void) => {
      const { id } = registry
      if (id.includes("|"))
        throw new Error(
          `Cannot add registry ${id}: its id has a |, which ends it in keys: give it another id`
        )
      if (taken.has(id))
        throw new Error(
          `Cannot add registry ${id}: one with this id is there: remove it first, or give yours another id`
        )
      taken.add(id)
      const withdrawals = graph.transaction(() => {
        all.set(id, registry)
        return [
          services.add(registry.services),
          endpoints.add(registry.endpoints),
          gateways.add(registry.gateways)
        ]
      })
      let removed = false
      return () => {
        if (removed) return
        removed = true
        taken.delete(id)
        graph.transaction(() => {
          all.delete(id)
          for (const withdraw of withdrawals) withdraw()
        })
      }
    }
    return Registries.of({ all, services, endpoints, gateways, add })
  })
)
