import { Graph } from "@istiod-lite/collections"
import { assertReplays, sorted } from "@istiod-lite/collections/testing"
import { assert, describe, it } from "@effect/vitest"
import {
  defaultMeshConfig,
  Label,
  type MeshConfigValue,
  meshKey,
  type ObjectIdentity,
  objectKey,
  type TypedObject,
  type WorkloadInstance,
  makeWorkloads
} from "@istiod-lite/model"
import {
  endpointSlice,
  kubePort,
  kubeService,
  namespace,
  node,
  objectStore,
  pod,
  podRef,
  serviceExport,
  serviceImport,
  sliceEndpoint,
  workload
} from "@istiod-lite/model/testing"
import * as fc from "fast-check"
import { type KubeRegistry, makeKubeRegistry } from "./kube-registry.ts"

const app = fc.constantFrom({ app: "a" }, { app: "b" }, {})
const network = fc.constantFrom<Record<string, string>>({}, { [Label.network]: "n1" })
const podName = fc.constantFrom("p1", "p2", "p3")
const address = fc.constantFrom("10.20.0.1", "10.20.0.2", "fd00::1")

const anyPod = fc
  .record({
    name: podName,
    labels: fc.tuple(app, network).map(([labels, on]) => ({ ...labels, ...on })),
    uid: fc.constantFrom("", "u1", "u2"),
    ips: fc.uniqueArray(address, { maxLength: 2 }),
    ready: fc.boolean(),
    deleting: fc.boolean(),
    phase: fc.constantFrom("Running" as const, "Failed" as const),
    node: fc.constantFrom("", "n1"),
    ports: fc.constantFrom([], [{ name: "web", containerPort: 8080, protocol: "TCP" }])
  })
  .map(({ labels, name, uid, ...fields }): TypedObject => ({
    kind: "Pod",
    object: pod({ ...fields, meta: { name, uid, labels } })
  }))

const anyService = fc
  .record({
    name: fc.constantFrom("a", "b"),
    annotations: fc.constantFrom<Record<string, string>>({}, { "networking.istio.io/exportTo": "~" }),
    labels: fc.tuple(network, fc.constantFrom({}, { [Label.persistentSessionCookie]: "c" })),
    clusterIP: fc.constantFrom("10.96.0.1", "None"),
    selector: app,
    externalIPs: fc.constantFrom([], ["203.0.113.1"]),
    ports: fc.constantFrom(
      [kubePort()],
      [kubePort({ targetPort: "web" }), kubePort({ name: "tls", port: 15443 })]
    )
  })
  .map(({ annotations, labels, name, ...fields }): TypedObject => ({
    kind: "Service",
    object: kubeService({ ...fields, meta: { name, annotations, labels: { ...labels[0], ...labels[1] } } })
  }))

const anySlice = fc
  .record({
    name: fc.constantFrom("s1", "s2"),
    service: fc.constantFrom("a", "b"),
    version: fc.constantFrom("1", "2"),
    endpoints: fc.array(
      fc
        .record({
          address,
          ready: fc.boolean(),
          pod: fc.option(podName, { nil: undefined }),
          uid: fc.constantFrom("", "u1")
        })
        .map(({ address, pod, ready, uid }) =>
          sliceEndpoint({ addresses: [address], ready, targetRef: pod && podRef(pod, uid) })
        ),
      { maxLength: 4 }
    )
  })
  .map(({ endpoints, name, service, version }): TypedObject => ({
    kind: "EndpointSlice",
    object: endpointSlice({
      endpoints,
      meta: { name, resourceVersion: version, labels: { [Label.serviceName]: service } }
    })
  }))

const multiCluster = fc.oneof(
  fc.constantFrom("a", "b").map((name): TypedObject => ({
    kind: "ServiceExport",
    object: serviceExport({ name })
  })),
  fc
    .record({
      name: fc.constantFrom("a", "b"),
      ips: fc.constantFrom([], ["10.112.0.1"], ["10.112.0.2", "fd00::2"])
    })
    .map(({ ips, name }): TypedObject => ({
      kind: "ServiceImport",
      object: serviceImport({ ips, meta: { name } })
    }))
)

const others = fc.constantFrom<TypedObject>(
  { kind: "Node", object: node("n1", { [Label.region]: "eu" }) },
  { kind: "Node", object: node("n1", { [Label.region]: "us" }, "198.51.100.1") },
  { kind: "Namespace", object: namespace("istio-system", { labels: { [Label.network]: "n9" } }) },
  { kind: "Namespace", object: namespace("shop", { annotations: {} }) },
  { kind: "Namespace", object: namespace("shop", { labels: { mesh: "on" } }) }
)

/** Transactions of one to four writes, each fourth a deletion. */
const transactions = fc.array(
  fc.array(
    fc.record({
      object: fc.oneof(anyPod, anyService, anySlice, multiCluster, multiCluster, others),
      deleted: fc.nat(3).map((n) => n === 0)
    }),
    { minLength: 1, maxLength: 4 }
  ),
  { maxLength: 12 }
)

const identityOf = ({ kind, object }: TypedObject): ObjectIdentity => ({
  kind,
  namespace: object.meta.namespace,
  name: object.meta.name
})

type Settings = Pick<
  MeshConfigValue,
  "clusterSetHosts" | "discoverySelectors" | "exportedServicesOnly" | "ownClusterHosts"
>

const mostly = fc.nat(4).map((n) => n > 0)

const anySettings = fc.record<Settings>({
  discoverySelectors: fc.constantFrom<MeshConfigValue["discoverySelectors"]>(
    [],
    [{ matchLabels: { mesh: "on" }, matchExpressions: [] }]
  ),
  exportedServicesOnly: mostly,
  clusterSetHosts: mostly,
  ownClusterHosts: fc.boolean()
})

/** A registry of an empty cluster beside a machine. */
const makeRegistry = () => {
  const graph = new Graph()
  const store = objectStore(graph)
  const mesh = graph.source<MeshConfigValue>("mesh")
  const configure = (settings: Partial<Settings>): void =>
    mesh.set(meshKey, { ...defaultMeshConfig, dualStack: true, ...settings })
  configure({})
  const shared = makeWorkloads(graph)
  const machines = graph.source<WorkloadInstance>("machines")
  machines.set("erp-1", workload({ facts: { labels: { app: "a" } } }))
  shared.contribute(machines)
  const cluster = store.clusters.get("Kubernetes")!
  return {
    graph,
    store,
    configure,
    registry: makeKubeRegistry(graph, cluster, { isConfigCluster: true, mesh, workloads: shared })
  }
}

/** All that the registry tells. */
const told = ({ endpoints, gateways, services, workloads }: KubeRegistry) => ({
  endpoints: sorted(endpoints),
  gateways: sorted(gateways),
  services: sorted(services),
  workloads: sorted(workloads)
})

describe("makeKubeRegistry, for any objects, order and batches (D-5)", () => {
  it("tells what a registry tells that is built from the final objects", () => {
    fc.assert(
      fc.property(transactions, anySettings, anySettings, (batches, first, last) => {
        const { configure, graph, registry, store } = makeRegistry()
        configure(first)
        const checks = [registry.services, registry.endpoints, registry.workloads].map((of) =>
          assertReplays<unknown>(of)
        )
        const final = new Map<string, TypedObject>()
        for (const batch of batches) {
          graph.transaction(() => {
            for (const { deleted, object } of batch) {
              const key = `${object.kind} ${objectKey(object.object.meta)}`
              if (deleted) store.delete("Kubernetes", identityOf(object))
              else store.put("Kubernetes", object)
              if (deleted) final.delete(key)
              else final.set(key, object)
            }
          })
        }
        configure(last)
        const scratch = makeRegistry()
        scratch.configure(last)
        for (const object of [...final.values()].toReversed()) scratch.store.put("Kubernetes", object)
        assert.deepEqual(told(registry), told(scratch.registry))
        for (const check of checks) check()
      }),
      { numRuns: 200 }
    )
  })

  it("keeps nothing of objects that are gone", () => {
    fc.assert(
      fc.property(transactions, (batches) => {
        const { configure, graph, store } = makeRegistry()
        configure({ exportedServicesOnly: true, clusterSetHosts: true })
        const before = graph.sizes()
        for (const { object } of batches.flat()) store.put("Kubernetes", object)
        for (const { object } of batches.flat()) store.delete("Kubernetes", identityOf(object))
        assert.deepEqual(graph.sizes(), before)
      })
    )
  })
})
