import { Graph } from "@istiod-lite/collections"
import { assertReplays, sorted } from "@istiod-lite/collections/testing"
import { assert, describe, it } from "@effect/vitest"
import {
  defaultMeshConfig,
  Label,
  type MeshConfigValue,
  meshKey,
  noLabels,
  objectKey,
  type TypedObject,
  type WorkloadInstance,
  workloadKey,
  makeWorkloads
} from "@istiod-lite/model"
import {
  objectStore,
  serviceEntry,
  serviceEntryPort,
  workload,
  workloadEntry,
  workloadSpec
} from "@istiod-lite/model/testing"
import * as fc from "fast-check"
import { makeServiceEntryRegistry, type ServiceEntryRegistry } from "./service-entry-registry.ts"

const labels = fc.constantFrom({ app: "a" }, { app: "b" }, {})
const created = fc.constantFrom("2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z")
const address = fc.constantFrom("192.0.2.1", "192.0.2.2", "db.example", "unix:///run/db", "")

const anyEntry = fc
  .record({
    name: fc.constantFrom("e1", "e2", "e3"),
    creationTime: created,
    optOut: fc.boolean(),
    hosts: fc.subarray(["x.example", "y.example", "*.example"], { minLength: 1 }),
    addresses: fc.constantFrom([], ["198.51.100.1", "198.51.100.2"], ["not one"]),
    resolution: fc.constantFrom(
      "NONE" as const,
      "STATIC" as const,
      "DNS" as const,
      "DNS_ROUND_ROBIN" as const
    ),
    workloadSelector: fc.option(labels, { nil: undefined }),
    endpoints: fc.array(
      address.map((one) => workloadSpec({ address: one })),
      { maxLength: 2 }
    ),
    ports: fc.constantFrom(
      [serviceEntryPort()],
      [serviceEntryPort(), serviceEntryPort({ name: "tls", number: 443 })]
    )
  })
  .map(({ creationTime, name, optOut, ...fields }): TypedObject => ({
    kind: "ServiceEntry",
    object: serviceEntry({
      ...fields,
      meta: { name, creationTime, labels: optOut ? { [Label.enableV2AutoAllocation]: "false" } : {} }
    })
  }))

const anyMachine = fc
  .record({ name: fc.constantFrom("m1", "m2"), labels, address, healthy: fc.constantFrom(undefined, true) })
  .map(({ address, healthy, labels, name }): TypedObject => ({
    kind: "WorkloadEntry",
    object: workloadEntry({ healthy, meta: { name, labels }, spec: { address } })
  }))

const pod = fc
  .record({ kind: fc.constant("Pod" as const), name: fc.constantFrom("m1", "p1"), labels })
  .map(({ kind, labels, name }) => workload({ kind, name, facts: { addresses: ["10.20.0.1"], labels } }))

/** A write of an object or a pod; each fourth takes it out instead. */
const write = fc.record({ of: fc.oneof(anyEntry, anyMachine, pod), deleted: fc.nat(3).map((n) => n === 0) })
const transactions = fc.array(fc.array(write, { minLength: 1, maxLength: 4 }), { maxLength: 12 })
const mode = fc.constantFrom<MeshConfigValue["addressMode"]>("stable", "istio-v1", "status")

/** An empty registry, and a way to write what it reads. */
const make = (addressMode: MeshConfigValue["addressMode"]) => {
  const graph = new Graph()
  const store = objectStore(graph)
  const mesh = graph.source<MeshConfigValue>("mesh")
  mesh.set(meshKey, { ...defaultMeshConfig, addressMode })
  const shared = makeWorkloads(graph)
  const pods = graph.source<WorkloadInstance>("pods")
  shared.contribute(pods)
  const source = {
    cluster: "Kubernetes",
    config: store.config,
    namespaceAnnotations: () => noLabels,
    reads: [],
    synced: store.synced
  }
  const registry = makeServiceEntryRegistry(graph, source, { mesh, workloads: shared })
  shared.contribute(registry.workloads)
  const put = (of: TypedObject | WorkloadInstance): void =>
    "facts" in of ? pods.set(workloadKey(of), of) : store.put("Kubernetes", of)
  const remove = (of: TypedObject | WorkloadInstance): void => {
    if ("facts" in of) pods.delete(workloadKey(of))
    else store.delete("Kubernetes", { kind: of.kind, ...of.object.meta })
  }
  return { graph, registry, put, remove }
}

const keyOf = (of: TypedObject | WorkloadInstance): string =>
  "facts" in of ? workloadKey(of) : `${of.kind} ${objectKey(of.object.meta)}`

const told = ({ endpoints, services, workloads }: ServiceEntryRegistry) => ({
  endpoints: sorted(endpoints),
  services: sorted(services),
  workloads: sorted(workloads)
})

describe("makeServiceEntryRegistry, for any objects, order and batches (D-5)", () => {
  it("tells what a registry tells that is built from the final objects", () => {
    fc.assert(
      fc.property(mode, transactions, (addressMode, batches) => {
        const { graph, put, registry, remove } = make(addressMode)
        const checks = [registry.services, registry.endpoints].map((of) => assertReplays<unknown>(of))
        const final = new Map<string, TypedObject | WorkloadInstance>()
        for (const batch of batches) {
          graph.transaction(() => {
            for (const { deleted, of } of batch) {
              if (deleted) remove(of)
              else put(of)
              if (deleted) final.delete(keyOf(of))
              else final.set(keyOf(of), of)
            }
          })
        }
        const scratch = make(addressMode)
        for (const of of [...final.values()].toReversed()) scratch.put(of)
        assert.deepEqual(told(registry), told(scratch.registry))
        for (const check of checks) check()
      }),
      { numRuns: 200 }
    )
  })

  it("keeps nothing of objects that are gone", () => {
    fc.assert(
      fc.property(mode, transactions, (addressMode, batches) => {
        const { graph, put, remove } = make(addressMode)
        const before = graph.sizes()
        for (const { of } of batches.flat()) put(of)
        for (const { of } of batches.flat()) remove(of)
        assert.deepEqual(graph.sizes(), before)
      })
    )
  })
})
