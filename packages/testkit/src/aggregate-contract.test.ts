import { assert, describe, it } from "@effect/vitest"
import { registryContract, type RegistrySubject } from "@istiod-lite/model/testing"
import { Effect, Scope } from "effect"
import { makeControlPlane } from "./control-plane.ts"

const creationTimestamp = "2026-03-01T08:00:00Z"
const istio = "networking.istio.io/v1"

/** A Service of pods and a machine, and an entry that selects the same ones: each registry feeds the other. */
const manifests = [
  {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "crm", namespace: "shop", creationTimestamp },
    spec: {
      clusterIP: "10.96.0.1",
      selector: { app: "crm" },
      ports: [{ name: "http", port: 80, targetPort: 8080 }]
    }
  },
  {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "crm-1", namespace: "shop", labels: { app: "crm" }, creationTimestamp },
    spec: { serviceAccountName: "crm", containers: [{ name: "app" }] },
    status: {
      phase: "Running",
      podIP: "10.20.0.1",
      podIPs: [{ ip: "10.20.0.1" }],
      conditions: [{ type: "Ready", status: "True" }]
    }
  },
  {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: {
      name: "crm-a",
      namespace: "shop",
      labels: { "kubernetes.io/service-name": "crm" },
      creationTimestamp
    },
    addressType: "IPv4",
    ports: [{ name: "http", port: 8080 }],
    endpoints: [
      {
        addresses: ["10.20.0.1"],
        conditions: { ready: true },
        targetRef: { kind: "Pod", name: "crm-1", namespace: "shop" }
      }
    ]
  },
  {
    apiVersion: istio,
    kind: "WorkloadEntry",
    metadata: { name: "crm-vm", namespace: "shop", creationTimestamp },
    spec: { address: "192.0.2.1", labels: { app: "crm" }, serviceAccount: "crm-vm" }
  },
  {
    apiVersion: istio,
    kind: "ServiceEntry",
    metadata: { name: "crm", namespace: "shop", creationTimestamp },
    spec: {
      hosts: ["crm.corp.example"],
      ports: [{ number: 80, name: "http", protocol: "HTTP" }],
      resolution: "STATIC",
      location: "MESH_INTERNAL",
      workloadSelector: { labels: { app: "crm" } }
    }
  }
]

const cluster = "Kubernetes"

const makeSubject = (): RegistrySubject => {
  const { discovery, graph, source } = Effect.runSync(
    makeControlPlane().pipe(Effect.provideService(Scope.Scope, Scope.makeUnsafe()))
  )
  return {
    graph,
    registry: {
      services: discovery.services,
      endpoints: discovery.endpoints,
      shards: [`Kubernetes/${cluster}`, `External/${cluster}`],
      synced: discovery.synced,
      targets: discovery.targets,
      workloadLabels: discovery.workloadLabels,
      reads: discovery.reads
    },
    changes: manifests.map((manifest) => ({
      name: `${manifest.kind} ${manifest.metadata.name}`,
      apply: () => source.apply(cluster, manifest),
      undo: () => source.delete(cluster, manifest)
    }))
  }
}

describe("ServiceDiscovery over both registries keeps the registry contract", () => {
  it.each(registryContract(makeSubject))("$name", ({ check }) => assert.doesNotThrow(check))
})
