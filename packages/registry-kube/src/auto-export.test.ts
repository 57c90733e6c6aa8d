import { Graph } from "@istiod-lite/collections"
import { assert, describe, it } from "@effect/vitest"
import {
  ClusterWriters,
  decodeObject,
  defaultMeshConfig,
  DiscoveryGraph,
  Leadership,
  MeshConfig,
  type MeshConfigValue,
  meshKey,
  ObjectSource,
  ObjectStore,
  type WriteProblem
} from "@istiod-lite/model"
import {
  kubeService,
  MemoryWriter,
  namespace,
  serviceExport,
  type WriterCall
} from "@istiod-lite/model/testing"
import { Effect, Layer, Stream, SubscriptionRef } from "effect"
import { TestClock } from "effect/testing"
import { layerAutoExport } from "./auto-export.ts"

/** Time for whoever begins to lead, and for the writes. */
const settled = Effect.asVoid(Effect.repeat(TestClock.adjust("10 millis"), { times: 5 }))

/** An API server in memory whose objects are read as they change. */
class ServerOfCluster {
  readonly calls: Array<WriterCall> = []
  /** may fail a call */
  before: (call: WriterCall) => Effect.Effect<void, WriteProblem> = () => Effect.void
  /** whether what is written is seen */
  isWatched = true
  readonly memory: MemoryWriter

  constructor(store: ObjectStore, cluster: string) {
    store.addCluster(cluster)
    this.memory = new MemoryWriter({
      before: (call) => {
        this.calls.push(call)
        return this.before(call)
      },
      onChange: ({ name, namespace: of }, now) => {
        if (!this.isWatched) return
        const decoded = now === undefined ? undefined : decodeObject(now)
        if (decoded?.outcome === "object") store.put(cluster, decoded)
        else store.delete(cluster, { kind: "ServiceExport", namespace: of, name })
      }
    })
  }

  get exported(): ReadonlyArray<string> {
    return this.memory.objects.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`).toSorted()
  }
}

const isClusterLocal = ({ serviceSettings }: MeshConfigValue, host: string): boolean =>
  serviceSettings.some(({ hosts }) => hosts.includes(host))

/** Two clusters, of which one is the configuration's; exports are made there by a replica that leads. */
const makeWorld = Effect.fnUntraced(function* (settings: Partial<MeshConfigValue> = {}) {
  const graph = new Graph()
  const store = new ObjectStore(graph, "home")
  const servers = new Map(["home", "east"].map((id) => [id, new ServerOfCluster(store, id)]))
  const mesh = graph.source<MeshConfigValue>("mesh")
  mesh.set(meshKey, { ...defaultMeshConfig, exportsServices: true, ...settings })
  const leads = yield* SubscriptionRef.make(true)
  const leadership = Leadership.of({
    ...Leadership.alone("replica"),
    whileLeading: (work) =>
      SubscriptionRef.changes(leads).pipe(
        Stream.switchMap((does) =>
          does ? Stream.fromEffect(Effect.andThen(work, Effect.never)) : Stream.never
        ),
        Stream.runDrain,
        Effect.andThen(Effect.never)
      )
  })
  const put = (cluster: string, name: string, uid = `uid of ${name}`): void =>
    store.put(cluster, { kind: "Service", object: kubeService({ meta: { name, uid } }) })
  put("home", "cart")
  put("east", "web")
  const before = graph.sizes()
  yield* Layer.build(
    layerAutoExport({ isClusterLocal }).pipe(
      Layer.provide(
        Layer.mergeAll(
          Layer.succeed(DiscoveryGraph, graph),
          Layer.succeed(ObjectSource, store),
          Layer.succeed(MeshConfig, mesh),
          Layer.succeed(Leadership, leadership),
          Layer.succeed(ClusterWriters, { of: (cluster) => servers.get(cluster)?.memory.writer })
        )
      )
    )
  )
  yield* settled
  const [home, east] = [servers.get("home")!, servers.get("east")!]
  return { graph, store, mesh, leads, home, east, put, before }
})

describe("layerAutoExport", () => {
  it.effect("exports every Service of every cluster, each export being its Service's", () =>
    Effect.gen(function* () {
      const { east, home, put } = yield* makeWorld()
      assert.deepEqual([home.exported, east.exported], [["shop/cart"], ["shop/web"]])
      assert.deepEqual(home.memory.find("ServiceExport", "shop", "cart")?.metadata.ownerReferences, [
        { apiVersion: "v1", kind: "Service", name: "cart", uid: "uid of cart" }
      ])
      put("east", "search")
      yield* settled
      assert.deepEqual(east.exported, ["shop/search", "shop/web"])
    })
  )

  it.effect("does nothing where the mesh does not say so", () =>
    Effect.gen(function* () {
      const { before, graph, home } = yield* makeWorld({ exportsServices: false })
      assert.deepEqual(home.calls, [])
      assert.deepEqual(graph.sizes(), before)
    })
  )

  it.effect(
    "leaves out hosts that are cluster-local and namespaces that do not count, until they change",
    () =>
      Effect.gen(function* () {
        const settings = {
          serviceSettings: [{ clusterLocal: true, hosts: ["cart.shop.svc.cluster.local"] }],
          discoverySelectors: [{ matchLabels: { mesh: "on" }, matchExpressions: [] }]
        }
        const { east, home, mesh, put, store } = yield* makeWorld(settings)
        assert.deepEqual([home.exported, east.exported], [[], []])
        for (const cluster of ["home", "east"]) {
          const object = namespace("shop", { labels: { mesh: "on" } })
          store.put(cluster, { kind: "Namespace", object })
        }
        put("home", "search")
        yield* settled
        assert.deepEqual([home.exported, east.exported], [["shop/search"], ["shop/web"]])
        mesh.set(meshKey, { ...defaultMeshConfig, exportsServices: true })
        yield* settled
        assert.deepEqual(home.exported, ["shop/cart", "shop/search"])
      })
  )

  it.effect("makes again what is deleted, and nothing that is there", () =>
    Effect.gen(function* () {
      const { home, put, store } = yield* makeWorld()
      const reference = { apiVersion: "multicluster.x-k8s.io/v1alpha1", kind: "ServiceExport" }
      yield* home.memory.writer.delete({ ...reference, namespace: "shop", name: "cart" })
      yield* settled
      assert.deepEqual(home.exported, ["shop/cart"])
      home.calls.length = 0
      store.put("home", { kind: "ServiceExport", object: serviceExport({ name: "search" }) })
      put("home", "search")
      yield* TestClock.adjust("1 minute")
      assert.deepEqual(home.calls, [])
    })
  )

  it.effect("writes once what it does not see afterwards, and anew for a Service that takes its place", () =>
    Effect.gen(function* () {
      const { east, put } = yield* makeWorld()
      east.isWatched = false
      put("east", "search")
      yield* TestClock.adjust("1 minute")
      const writes = () => east.calls.filter(({ name }) => name === "search").length
      assert.strictEqual(writes(), 1)
      put("east", "search", "uid of another search")
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(writes(), 2)
    })
  )

  it.effect("asks a server that lets nobody write for one at a time, another each time, until it does", () =>
    Effect.gen(function* () {
      const { east, home, put } = yield* makeWorld()
      east.calls.length = 0
      east.before = () => Effect.fail("forbidden")
      for (const name of ["a", "b", "c"]) put("east", name)
      put("home", "d")
      yield* TestClock.adjust("25 seconds")
      assert.lengthOf(new Set(east.calls.map(({ name }) => name)), 3)
      assert.lengthOf(east.calls, 3)
      assert.include(home.exported, "shop/d")
      east.before = () => Effect.void
      yield* TestClock.adjust("10 seconds")
      assert.deepEqual(east.exported, ["shop/a", "shop/b", "shop/c", "shop/web"])
    })
  )

  it.effect("one that cannot be written holds no other up", () =>
    Effect.gen(function* () {
      const { east, put } = yield* makeWorld()
      east.before = ({ name }) => (name === "a" ? Effect.fail("forbidden") : Effect.void)
      for (const name of ["a", "b", "c"]) put("east", name)
      yield* TestClock.adjust("30 seconds")
      assert.deepEqual(east.exported, ["shop/b", "shop/c", "shop/web"])
    })
  )

  it.effect("takes one that somebody else made meanwhile for done", () =>
    Effect.gen(function* () {
      const { east, put } = yield* makeWorld()
      east.isWatched = false
      east.before = () => Effect.fail("exists")
      put("east", "a")
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(east.calls.filter(({ name }) => name === "a").length, 1)
    })
  )

  it.effect("stops when it leads no more, and goes on when it does again; keeps nothing meanwhile", () =>
    Effect.gen(function* () {
      const { before, east, graph, leads, put } = yield* makeWorld()
      yield* SubscriptionRef.set(leads, false)
      yield* settled
      assert.deepEqual(graph.sizes().nodes, before.nodes)
      put("east", "search")
      yield* TestClock.adjust("1 minute")
      assert.deepEqual(east.exported, ["shop/web"])
      yield* SubscriptionRef.set(leads, true)
      yield* settled
      assert.deepEqual(east.exported, ["shop/search", "shop/web"])
    })
  )

  it.effect("follows a cluster through its replacement and its end", () =>
    Effect.gen(function* () {
      const { east, graph, home, put, store } = yield* makeWorld()
      const next = store.successor("east")
      next.put({ kind: "Service", object: kubeService({ meta: { name: "search" } }) })
      next.takeOver()
      yield* settled
      assert.deepEqual(east.exported, ["shop/search", "shop/web"])
      const { nodes } = graph.sizes()
      store.removeCluster("east")
      yield* settled
      assert.isBelow(graph.sizes().nodes, nodes)
      put("home", "search")
      yield* settled
      assert.deepEqual(home.exported, ["shop/cart", "shop/search"])
    })
  )
})
