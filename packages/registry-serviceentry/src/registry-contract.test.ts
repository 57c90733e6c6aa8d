import { Graph } from "@istiod-lite/collections"
import { assert, describe, it } from "@effect/vitest"
import { defaultMeshConfig, meshKey, noLabels, makeWorkloads } from "@istiod-lite/model"
import {
  faceOf,
  manifestChange,
  objectStore,
  registryContract,
  type RegistrySubject
} from "@istiod-lite/model/testing"
import { makeServiceEntryRegistry } from "./service-entry-registry.ts"

const apiVersion = "networking.istio.io/v1"
const creationTimestamp = "2026-03-01T08:00:00Z"

const manifests = [
  {
    apiVersion,
    kind: "ServiceEntry",
    metadata: { name: "erp", namespace: "shop", creationTimestamp },
    spec: {
      hosts: ["erp.corp.example"],
      ports: [{ number: 80, name: "http", protocol: "HTTP" }],
      resolution: "STATIC",
      location: "MESH_INTERNAL",
      workloadSelector: { labels: { app: "erp" } }
    }
  },
  {
    apiVersion,
    kind: "WorkloadEntry",
    metadata: { name: "erp-1", namespace: "shop", creationTimestamp },
    spec: { address: "192.0.2.1", labels: { app: "erp" }, serviceAccount: "erp" }
  },
  {
    apiVersion,
    kind: "ServiceEntry",
    metadata: { name: "bank", namespace: "shop", creationTimestamp },
    spec: {
      hosts: ["bank.example"],
      addresses: ["198.51.100.1", "198.51.100.2"],
      ports: [{ number: 443, name: "tls", protocol: "TLS" }],
      resolution: "STATIC",
      endpoints: [{ address: "192.0.2.9" }]
    }
  },
  {
    apiVersion,
    kind: "ServiceEntry",
    metadata: { name: "maps", namespace: "shop", creationTimestamp },
    spec: {
      hosts: ["maps.example"],
      ports: [{ number: 443, name: "tls", protocol: "TLS" }],
      resolution: "DNS"
    }
  },
  {
    apiVersion,
    kind: "ServiceEntry",
    metadata: { name: "maps-too", namespace: "shop", creationTimestamp },
    spec: {
      hosts: ["maps.example"],
      ports: [{ number: 80, name: "http", protocol: "HTTP" }],
      resolution: "DNS"
    }
  }
]

const makeSubject = (): RegistrySubject => {
  const graph = new Graph()
  const store = objectStore(graph)
  const mesh = graph.source<typeof defaultMeshConfig>("mesh")
  mesh.set(meshKey, defaultMeshConfig)
  const shared = makeWorkloads(graph)
  const registry = makeServiceEntryRegistry(
    graph,
    {
      cluster: "Kubernetes",
      config: store.config,
      namespaceAnnotations: () => noLabels,
      reads: [],
      synced: store.synced
    },
    { mesh, workloads: shared }
  )
  shared.contribute(registry.workloads)
  return {
    graph,
    registry: faceOf(registry),
    changes: manifests.map((manifest) => manifestChange(store, manifest))
  }
}

describe("makeServiceEntryRegistry keeps the registry contract", () => {
  it.each(registryContract(makeSubject))("$name", ({ check }) => assert.doesNotThrow(check))
})
