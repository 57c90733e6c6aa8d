import { assert, describe, it } from "@effect/vitest"
import { Graph } from "@istiod-lite/collections"
import {
  ClusterStatuses,
  defaultMeshConfig,
  DiscoveryGraph,
  MeshConfig,
  type MeshConfigValue,
  meshKey,
  ObjectSource
} from "@istiod-lite/model"
import { Context, Effect, Layer } from "effect"
import { type KubeSourceOptions, layerKubeSource } from "./kube-source.ts"
import { FakeApi } from "./testing/fake-api.ts"
import { FakeApiServer } from "./testing/fake-api-server.ts"
import { rawPod, rawService, rawServiceEntry } from "./testing/raw-objects.ts"

const startServer = (api: FakeApi) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const server = new FakeApiServer(api)
      await server.start()
      return server
    }),
    (server) => Effect.promise(() => server.stop())
  )

const system = { namespace: "istio-system" }

const meshMap = (mesh: string) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "istio", ...system },
  data: { mesh }
})

const clusterSecret = (cluster: string, kubeconfig: string) => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name: `remote-${cluster}`, ...system, labels: { "istio/multiCluster": "true" } },
  data: { [cluster]: Buffer.from(kubeconfig).toString("base64") }
})

/** Looks in each turn of the event loop. */
const until = (condition: () => boolean): Effect.Effect<void> =>
  Effect.promise(async () => {
    while (!condition()) await new Promise((resolve) => void setImmediate(resolve))
  })

/** The capabilities that the source gives, over a server. */
const open = Effect.fnUntraced(function* (
  server: FakeApiServer,
  {
    graph = new Graph(),
    text = server.kubeconfig(),
    ...settings
  }: Pick<KubeSourceOptions, "mesh" | "meshDefaults"> & {
    readonly graph?: Graph
    readonly text?: string
  } = {}
) {
  const context = yield* Layer.build(
    layerKubeSource({
      kubeconfig: { from: "text", text, subject: "the kubeconfig of the test" },
      ...settings,
      configCluster: "east",
      reflector: { backoff: { first: 5, most: 20, healthyAfter: 1000 }, refusedPause: "10 millis" }
    }).pipe(Layer.provideMerge(Layer.succeed(DiscoveryGraph, graph)))
  )
  return {
    objects: Context.get(context, ObjectSource),
    mesh: () => Context.get(context, MeshConfig).get(meshKey),
    statuses: () => Context.get(context, ClusterStatuses).all()
  }
})

describe("layerKubeSource", () => {
  it.live(
    "gives the objects of the configuration cluster once all of them are read, with the mesh's settings",
    () =>
      Effect.gen(function* () {
        const api = new FakeApi()
        api.put(meshMap("rootNamespace: mesh-root\n"))
        api.put(rawService("cart"))
        api.put(rawServiceEntry("payments"))
        const { mesh, objects, statuses } = yield* open(yield* startServer(api))
        yield* until(() => objects.synced())
        assert.strictEqual(mesh()?.rootNamespace, "mesh-root")
        assert.strictEqual(objects.clusters.get("east")?.objects.Service.size, 1)
        assert.strictEqual(objects.config.ServiceEntry.size, 1)
        assert.deepInclude(statuses()[0], { cluster: "east", state: "synced" })
        api.put(meshMap("rootNamespace: other\n"))
        yield* until(() => mesh()?.rootNamespace === "other")
        api.put(meshMap("rootNamespace: [\n"))
        api.put(rawService("reviews"))
        yield* until(() => objects.clusters.get("east")?.objects.Service.size === 2)
        assert.strictEqual(mesh()?.rootNamespace, "other")
      })
  )

  it.live(
    "takes the objects of a namespace in when the ConfigMap's discovery selectors or its labels say so",
    () =>
      Effect.gen(function* () {
        const api = new FakeApi()
        api.put(meshMap('discoverySelectors: [{ matchLabels: { mesh: "on" } }]\n'))
        api.put(rawServiceEntry("payments"))
        const { objects } = yield* open(yield* startServer(api))
        yield* until(() => objects.synced())
        assert.strictEqual(objects.config.ServiceEntry.size, 0)
        const metadata = { name: "shop", labels: { mesh: "on" } }
        api.put({ apiVersion: "v1", kind: "Namespace", metadata })
        yield* until(() => objects.config.ServiceEntry.size === 1)
        api.put(rawServiceEntry("ledger"))
        yield* until(() => objects.config.ServiceEntry.size === 2)
        api.put(meshMap('discoverySelectors: [{ matchLabels: { mesh: "off" } }]\n'))
        yield* until(() => objects.config.ServiceEntry.size === 0)
      })
  )

  it.live("reads exports and imports of services only where the mesh goes by them", () =>
    Effect.gen(function* () {
      const api = new FakeApi()
      const object = {
        apiVersion: "multicluster.x-k8s.io/v1alpha1",
        metadata: { name: "cart", namespace: "shop" }
      }
      api.put({ ...object, kind: "ServiceExport" })
      api.put({ ...object, kind: "ServiceImport", spec: { ips: ["10.112.0.1"] } })
      const server = yield* startServer(api)
      const readWith = Effect.fnUntraced(function* (meshDefaults: Partial<MeshConfigValue>) {
        const { objects } = yield* open(server, { meshDefaults })
        yield* until(() => objects.synced())
        const { ServiceExport: exports, ServiceImport: imports } = objects.clusters.get("east")!.objects
        return [exports.size, imports.size]
      })
      assert.deepEqual(yield* readWith({}), [0, 0])
      assert.deepEqual(yield* readWith({ exportsServices: true }), [1, 0])
      assert.deepEqual(yield* readWith({ exportedServicesOnly: true }), [1, 0])
      // As in Istio, hosts of the cluster set need what the other switch is for.
      assert.deepEqual(yield* readWith({ clusterSetHosts: true }), [0, 0])
      assert.deepEqual(yield* readWith({ exportedServicesOnly: true, clusterSetHosts: true }), [1, 1])
    })
  )

  it.live("does not read the ConfigMap where the mesh configuration is given", () =>
    Effect.gen(function* () {
      const api = new FakeApi()
      api.put(meshMap('discoverySelectors: [{ matchLabels: { mesh: "on" } }]\n'))
      api.put(rawServiceEntry("payments"))
      const graph = new Graph()
      const given = graph.source<MeshConfigValue>("given")
      given.set(meshKey, { ...defaultMeshConfig, rootNamespace: "given" })
      const server = yield* startServer(api)
      const { mesh, objects } = yield* open(server, { graph, mesh: given })
      yield* until(() => objects.synced())
      assert.strictEqual(mesh()?.rootNamespace, "given")
      assert.strictEqual(objects.config.ServiceEntry.size, 1)
      assert.isFalse(server.received.some(({ path }) => path.endsWith("/configmaps")))
    })
  )

  it.live("follows a cluster that a secret names, and lets go of it with the secret", () =>
    Effect.gen(function* () {
      const west = new FakeApi()
      west.put(rawPod("a"))
      const westServer = yield* startServer(west)
      const api = new FakeApi()
      const secret = clusterSecret("west", westServer.kubeconfig())
      api.put(secret)
      const { objects, statuses } = yield* open(yield* startServer(api))
      yield* until(() => objects.synced())
      assert.strictEqual(objects.clusters.get("west")?.objects.Pod.size, 1)
      assert.deepEqual(
        statuses().map(({ cluster, state }) => [cluster, state]),
        [
          ["east", "synced"],
          ["west", "synced"]
        ]
      )
      api.delete(secret)
      yield* until(() => objects.clusters.get("west") === undefined)
    })
  )

  it.live("does without the ConfigMap and the secrets that it may not read", () =>
    Effect.gen(function* () {
      const api = new FakeApi()
      api.forbidden.add("configmaps")
      api.forbidden.add("secrets")
      api.put(rawService("cart"))
      const { objects } = yield* open(yield* startServer(api))
      yield* until(() => objects.synced())
      assert.strictEqual(objects.clusters.get("east")?.objects.Service.size, 1)
    })
  )

  it.live("goes on through a restart of the server, with what has changed meanwhile", () =>
    Effect.gen(function* () {
      const api = new FakeApi()
      api.put(rawService("cart"))
      const server = yield* startServer(api)
      const { objects, statuses } = yield* open(server)
      yield* until(() => objects.synced())
      yield* Effect.promise(() => server.stop())
      yield* until(() => statuses()[0]?.state === "stale")
      api.delete(rawService("cart"))
      api.put(rawService("reviews"))
      api.compact()
      assert.strictEqual(objects.clusters.get("east")?.objects.Service.get("shop/cart")?.meta.name, "cart")
      yield* Effect.promise(() => server.start())
      yield* until(() => statuses()[0]?.state === "synced")
      yield* until(() => objects.clusters.get("east")?.objects.Service.get("shop/cart") === undefined)
      assert.deepEqual([...(objects.clusters.get("east")?.objects.Service.keys() ?? [])], ["shop/reviews"])
      // Watches, and nothing twice: 13 kinds, ConfigMap and secrets.
      yield* until(() => server.watches === 15)
    })
  )

  it.live("fails when its own kubeconfig cannot be used", () =>
    Effect.gen(function* () {
      const server = yield* startServer(new FakeApi())
      const error = yield* Effect.flip(open(server, { text: "{}" }))
      assert.include(error.message, "the kubeconfig of the test: current-context is not set")
    })
  )
})
