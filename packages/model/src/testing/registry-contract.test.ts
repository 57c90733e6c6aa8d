import { type Collection, Graph, type Source } from "@istiod-lite/collections"
import { assert, describe, it } from "@effect/vitest"
import { type EndpointGroup, equalEndpointGroups } from "../endpoint.ts"
import { equalServices, type Service } from "../service.ts"
import { endpointGroup, service } from "./builders.ts"
import { registryContract, type RegistrySubject } from "./registry-contract.ts"

interface Faults {
  readonly shard?: string
  readonly equals?: boolean
  readonly forgetsEndpoints?: boolean
  readonly countsArrivals?: boolean
  readonly knowsEverybody?: boolean
}

/** Two services with endpoints, written directly, with a fault to be found. */
const makeSubject =
  (faults: Faults = {}) =>
  (): RegistrySubject => {
    const graph = new Graph()
    const cutOff = faults.equals ?? true
    const services: Source<Service> = graph.source("services", cutOff ? { equals: equalServices } : {})
    const endpoints: Source<EndpointGroup> = graph.source("endpoints", { equals: equalEndpointGroups })
    const change = (name: string) => ({
      name,
      apply: () =>
        graph.transaction(() => {
          const arrival = faults.countsArrivals ? String(services.size) : ""
          services.set(name, service({ hostname: `${name}.example`, defaultAddress: `10.0.0.${arrival}` }))
          endpoints.set(
            name,
            endpointGroup({ hostname: `${name}.example`, shard: faults.shard ?? "Kubernetes/Kubernetes" })
          )
        }),
      undo: () =>
        graph.transaction(() => {
          services.delete(name)
          if (!faults.forgetsEndpoints) endpoints.delete(name)
        })
    })
    return {
      graph,
      registry: {
        services,
        endpoints,
        shards: ["Kubernetes/Kubernetes"],
        synced: () => true,
        targets: () => [],
        workloadLabels: () => (faults.knowsEverybody ? {} : undefined),
        reads: [] satisfies ReadonlyArray<Collection<unknown>>
      },
      changes: ["a", "b"].map(change)
    }
  }

const broken = (faults: Faults): ReadonlyArray<string> =>
  registryContract(makeSubject(faults)).flatMap(({ check, name }) => {
    try {
      check()
      return []
    } catch {
      return [name]
    }
  })

describe("registryContract", () => {
  it("is kept by a registry without faults", () => assert.deepEqual(broken({}), []))

  it("finds a wrong shard", () =>
    assert.deepEqual(broken({ shard: "Kubernetes/elsewhere" }), [
      "endpoints belong to a service and a shard that exist"
    ]))

  it("finds changes that are none", () =>
    assert.deepEqual(broken({ equals: false }), ["a change that is repeated publishes nothing"]))

  it("finds what is left behind", () =>
    assert.deepEqual(broken({ forgetsEndpoints: true }), ["removal leaves nothing"]))

  it("finds a dependence on the order of arrival", () =>
    assert.include(broken({ countsArrivals: true }), "the state is the same for any order of arrival"))

  it("finds labels of a proxy that nobody knows", () =>
    assert.deepEqual(broken({ knowsEverybody: true }), ["an unknown proxy has no targets and no labels"]))
})
