import { Graph } from "@istiod-lite/collections"
import { describe, it } from "@effect/vitest"
import { faceOf, registryContract, type RegistrySubject } from "@istiod-lite/model/testing"
import { makeMemoryRegistry } from "./memory-registry.ts"

const makeSubject = (): RegistrySubject => {
  const graph = new Graph()
  const memory = makeMemoryRegistry(graph, { id: "External/machines" })
  const cart = { hostname: "cart.internal", namespace: "shop" }
  return {
    graph,
    registry: faceOf(memory.registry),
    changes: [
      {
        name: "service",
        apply: () => memory.setService({ ...cart, ports: [{ name: "http", number: 80, protocol: "HTTP" }] }),
        undo: () => memory.removeService(cart)
      },
      {
        name: "endpoints",
        apply: () => memory.setEndpoints(cart, [{ addresses: ["192.0.2.1"], port: 8080 }]),
        undo: () => memory.setEndpoints(cart, [])
      },
      {
        name: "endpoints of a service that is not there",
        apply: () =>
          memory.setEndpoints({ hostname: "ghost.internal" }, [{ addresses: ["192.0.2.2"], port: 1 }]),
        undo: () => memory.removeService({ hostname: "ghost.internal" })
      }
    ]
  }
}

describe("makeMemoryRegistry keeps the registry contract", () => {
  it.each(registryContract(makeSubject))("$name", ({ check: assertKept }) => assertKept())
})
