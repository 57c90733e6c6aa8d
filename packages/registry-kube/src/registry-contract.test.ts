import { Graph } from "@istiod-lite/collections"
import { assert, describe, it } from "@effect/vitest"
import { defaultMeshConfig, meshKey, makeWorkloads } from "@istiod-lite/model"
import {
  faceOf,
  manifestChange,
  objectStore,
  registryContract,
  type RegistrySubject
} from "@istiod-lite/model/testing"
import { makeKubeRegistry } from "./kube-registry.ts"

const multiCluster = {
  apiVersion: "multicluster.x-k8s.io/v1alpha1",
  metadata: { name: "cart", namespace: "shop" }
}

const manifests = [
  { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } },
  {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: "n1", labels: { "topology.kubernetes.io/region": "eu" } }
  },
  {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "cart", namespace: "shop" },
    spec: {
      clusterIP: "10.96.0.1",
      selector: { app: "cart" },
      ports: [{ name: "http", port: 80, targetPort: 8080 }]
    }
  },
  { ...multiCluster, kind: "ServiceExport" },
  { ...multiCluster, kind: "ServiceImport", spec: { type: "ClusterSetIP", ips: ["10.112.0.1"] } },
  {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "cart-1", namespace: "shop", labels: { app: "cart" } },
    spec: { nodeName: "n1", serviceAccountName: "cart", containers: [{ name: "app" }] },
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
    metadata: { name: "cart-a", namespace: "shop", labels: { "kubernetes.io/service-name": "cart" } },
    addressType: "IPv4",
    ports: [{ name: "http", port: 8080 }],
    endpoints: [
      {
        addresses: ["10.20.0.1"],
        conditions: { ready: true },
        targetRef: { kind: "Pod", name: "cart-1", namespace: "shop" }
      }
    ]
  }
]

const makeSubject = (): RegistrySubject => {
  const graph = new Graph()
  const store = objectStore(graph)
  const mesh = graph.source<typeof defaultMeshConfig>("mesh")
  mesh.set(meshKey, { ...defaultMeshConfig, exportedServicesOnly: true, clusterSetHosts: true })
  const cluster = store.clusters.get("Kubernetes")!
  const registry = makeKubeRegistry(graph, cluster, {
    isConfigCluster: true,
    mesh,
    workloads: makeWorkloads(graph)
  })
  return {
    graph,
    registry: faceOf(registry),
    changes: manifests.map((manifest) => manifestChange(store, manifest))
  }
}

describe("makeKubeRegistry keeps the registry contract", () => {
  it.each(registryContract(makeSubject))("$name", ({ check }) => assert.doesNotThrow(check))
})
