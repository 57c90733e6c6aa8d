import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Logger } from "effect"
import { TestClock } from "effect/testing"
import { FakeApi } from "./testing/fake-api.ts"
import { failure } from "./testing/fake-kube-client.ts"
import { cluster, followCluster, type Followed, objectsOf } from "./testing/follow-cluster.ts"
import { rawPod, rawService, rawServiceEntry, rawSlice } from "./testing/raw-objects.ts"

/** Lets everything happen that needs no time. */
const settle = TestClock.adjust(0)

const shop = (): FakeApi => {
  const api = new FakeApi()
  api.put(rawService("cart"))
  api.put(rawPod("a"))
  api.put(rawSlice("cart-1", "a"))
  api.put(rawServiceEntry("payments"))
  return api
}

/** After each commit, whether a slice names a pod that is not there: an endpoint that is missing for no reason. */
const watchForGaps = ({ graph, store }: Followed): { readonly seen: () => number } => {
  let gaps = 0
  graph.onCommit(() => {
    const pods = new Set([...objectsOf(store, "Pod")].map(({ meta }) => meta.name))
    const slices = [...objectsOf(store, "EndpointSlice")]
    const named = slices.flatMap(({ endpoints }) => endpoints.map(({ targetRef }) => targetRef?.name ?? ""))
    if (named.some((name) => !pods.has(name))) gaps++
  })
  return { seen: () => gaps }
}

describe("watchCluster", () => {
  it.effect("applies the first complete state of all kinds at once", () =>
    Effect.gen(function* () {
      const api = shop()
      let synced = 0
      const followed = yield* followCluster(api, { onSynced: () => void synced++ })
      followed.client.fault = (request) =>
        request.path.endsWith("/pods") ? failure(request, { status: 500 }) : undefined
      yield* settle
      assert.deepEqual(followed.held("Service"), [])
      assert.strictEqual(followed.source.status().state, "syncing")
      const commits: Array<number> = []
      followed.graph.onCommit(() => commits.push(followed.held("Pod").length))
      followed.client.fault = () => undefined
      yield* TestClock.adjust("2 seconds")
      assert.deepEqual(commits, [1])
      assert.deepEqual(followed.held("ServiceEntry"), ["payments"])
      assert.strictEqual(followed.source.status().state, "synced")
      assert.strictEqual(synced, 1)
      assert.isTrue(followed.store.synced())
    })
  )

  it.effect("reads before it may apply what it reads, and applies it then", () =>
    Effect.gen(function* () {
      const mesh = yield* Deferred.make<void>()
      const { held, source, store } = yield* followCluster(shop(), { after: Deferred.await(mesh) })
      yield* settle
      const { kinds, state } = source.status()
      assert.deepEqual(new Set(kinds.map((kind) => kind.state)), new Set(["synced"]))
      assert.strictEqual(state, "syncing")
      assert.deepEqual(held("Service"), [])
      yield* Deferred.succeed(mesh, undefined)
      yield* settle
      assert.deepEqual(held("Service"), ["cart"])
      assert.strictEqual(source.status().state, "synced")
      assert.isTrue(store.synced())
    })
  )

  it.effect.each([
    {
      path: "/pods",
      kind: "Pod",
      status: 500,
      remedy: "See what `kubectl get --raw '/api/v1/pods?limit=1'` says."
    },
    {
      path: "/serviceentries",
      kind: "ServiceEntry",
      status: 500,
      remedy:
        "See what `kubectl get --raw '/apis/networking.istio.io/v1/serviceentries?limit=1'` says, " +
        "and whether a conversion webhook of the CRD is down."
    },
    { path: "/nodes", kind: "Node", status: 401, remedy: "Renew the credentials." }
  ] as const)(
    "one kind that fails for ever at the start is named, with the error and a remedy: $kind",
    (one) =>
      Effect.gen(function* () {
        const logged: Array<string> = []
        const logger = Logger.make(
          ({ logLevel, message }) => void logged.push(`${logLevel} ${String(message)}`)
        )
        yield* Effect.gen(function* () {
          const followed = yield* followCluster(shop())
          followed.client.fault = (request) =>
            request.path.endsWith(one.path)
              ? failure(request, { status: one.status, detail: "broken" })
              : undefined
          yield* TestClock.adjust("5 minutes")
          const { error, kinds, state } = followed.source.status()
          assert.strictEqual(state, "syncing")
          const problem = followed.kind(one.kind).problem ?? ""
          assert.strictEqual(error, problem)
          assert.match(problem, /^Cannot list \S+.*: broken\. /)
          assert.isTrue(problem.endsWith(one.remedy), problem)
          assert.deepEqual(
            kinds.filter((other) => other.state === "failing").map(({ kind }) => kind),
            [one.kind]
          )
          assert.deepEqual(logged, [
            `Warn Cluster ${cluster}: ${one.kind} cannot be read: ${problem} The cluster is not complete without it.`
          ])
        }).pipe(Effect.provide(Logger.layer([logger])))
      })
  )

  it.effect("makes one commit of what comes at once, and tells it at once", () =>
    Effect.gen(function* () {
      const api = shop()
      const followed = yield* followCluster(api)
      yield* settle
      api.put(rawPod("b"))
      yield* settle
      assert.deepEqual(followed.held("Pod"), ["a", "b"])
      api.delete(rawPod("a"))
      yield* settle
      assert.deepEqual(followed.held("Pod"), ["b"])
    })
  )

  it.effect("does without a kind that the server does not have, and finds it once it is installed", () =>
    Effect.gen(function* () {
      const api = shop()
      api.absent.add("serviceentries")
      const followed = yield* followCluster(api)
      yield* settle
      assert.strictEqual(followed.source.status().state, "synced")
      assert.strictEqual(followed.kind("ServiceEntry").state, "absent")
      assert.include(followed.kind("ServiceEntry").problem, "serviceentries.networking.istio.io")
      assert.deepEqual(followed.held("ServiceEntry"), [])
      api.absent.clear()
      yield* TestClock.adjust("10 seconds")
      assert.deepEqual(followed.held("ServiceEntry"), ["payments"])
      assert.strictEqual(followed.kind("ServiceEntry").state, "synced")
    })
  )

  it.effect("gives up the objects of a kind whose CRD has gone for good, and not before", () =>
    Effect.gen(function* () {
      const api = shop()
      const followed = yield* followCluster(api)
      yield* settle
      api.absent.add("serviceentries")
      followed.cut()
      yield* TestClock.adjust("15 seconds")
      assert.deepEqual(followed.held("ServiceEntry"), ["payments"])
      yield* TestClock.adjust("15 seconds")
      assert.deepEqual(followed.held("ServiceEntry"), [])
    })
  )

  it.effect("takes a server that does not know pods for one that is not up", () =>
    Effect.gen(function* () {
      const api = shop()
      api.absent.add("pods")
      const followed = yield* followCluster(api)
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(followed.source.status().state, "syncing")
      assert.strictEqual(followed.kind("Pod").state, "failing")
    })
  )

  it.effect(
    "names a kind that it may not read and the rule that is missing, and goes on with the others",
    () =>
      Effect.gen(function* () {
        const api = shop()
        api.forbidden.add("nodes")
        api.forbidden.add("serviceentries")
        const followed = yield* followCluster(api)
        yield* settle
        assert.isTrue(followed.store.synced())
        assert.deepEqual(followed.held("Pod"), ["a"])
        const { problem, state } = followed.kind("ServiceEntry")
        assert.strictEqual(state, "forbidden")
        assert.include(problem, "list serviceentries.networking.istio.io")
        assert.include(
          problem,
          `apiGroups: ["networking.istio.io"], resources: ["serviceentries"], verbs: ["list", "watch"]`
        )
        assert.include(followed.source.status().error, "nodes")
        api.forbidden.clear()
        yield* TestClock.adjust("10 seconds")
        assert.deepEqual(followed.held("ServiceEntry"), ["payments"])
        assert.isUndefined(followed.source.status().error)
      })
  )

  it.effect("is stale while it cannot be read, keeps what it has, and is fresh again afterwards", () =>
    Effect.gen(function* () {
      const api = shop()
      const followed = yield* followCluster(api)
      yield* settle
      followed.client.fault = (request) => failure(request, { status: 500, detail: "etcd is gone" })
      followed.cut()
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(followed.source.status().state, "stale")
      assert.include(followed.store.clusters.get(cluster)?.stale?.()?.because, "etcd is gone")
      assert.deepEqual(followed.held("Pod"), ["a"])
      followed.client.fault = () => undefined
      yield* TestClock.adjust("31 seconds")
      assert.strictEqual(followed.source.status().state, "synced")
      assert.isUndefined(followed.store.clusters.get(cluster)?.stale?.())
    })
  )

  it.effect("goes on when something that listens has a fault", () =>
    Effect.gen(function* () {
      const api = shop()
      const followed = yield* followCluster(api)
      yield* settle
      const stopFaults = followed.graph.onCommit(() => {
        throw new Error("a fault of the program")
      })
      api.put(rawPod("b"))
      yield* settle
      assert.strictEqual(followed.kind("Pod").state, "failing")
      assert.include(followed.kind("Pod").problem, "watch pods")
      stopFaults()
      api.put(rawPod("c"))
      yield* TestClock.adjust("1 second")
      assert.deepEqual(followed.held("Pod"), ["a", "b", "c"])
      assert.strictEqual(followed.source.status().state, "synced")
    })
  )

  it.effect("keeps the last good state of an object that becomes faulty", () =>
    Effect.gen(function* () {
      const api = shop()
      const followed = yield* followCluster(api)
      yield* settle
      api.put({ ...rawServiceEntry("payments"), spec: { hosts: [] } })
      yield* settle
      assert.deepEqual(followed.held("ServiceEntry"), ["payments"])
      api.compact()
      followed.cut()
      yield* TestClock.adjust("5 seconds")
      assert.deepEqual(followed.held("ServiceEntry"), ["payments"])
      api.delete(rawServiceEntry("payments"))
      yield* settle
      assert.deepEqual(followed.held("ServiceEntry"), [])
    })
  )
})

describe("watchCluster, after an outage", () => {
  it.effect("comes back as a whole, slices with their pods, as soon as the first kind can be read", () =>
    Effect.gen(function* () {
      const api = shop()
      const followed = yield* followCluster(api)
      yield* settle
      const gaps = watchForGaps(followed)
      followed.client.fault = (request) => failure(request)
      followed.cut()
      yield* TestClock.adjust("1 minute")
      api.put(rawPod("b"))
      api.put(rawSlice("cart-1", "b"))
      api.delete(rawPod("a"))
      let commits = 0
      followed.graph.onCommit(() => void commits++)
      followed.client.fault = () => undefined
      while (followed.client.watches.size === 0) yield* TestClock.adjust("1 second")
      yield* TestClock.adjust("200 millis")
      assert.strictEqual(followed.client.watches.size, 13)
      assert.deepEqual(followed.held("Pod"), ["b"])
      assert.strictEqual(commits, 1)
      assert.strictEqual(gaps.seen(), 0)
    })
  )

  it.effect("waits for lists that take their time", () =>
    Effect.gen(function* () {
      const api = shop()
      const followed = yield* followCluster(api)
      yield* TestClock.adjust("1 minute")
      const gaps = watchForGaps(followed)
      followed.client.delay = ({ path }) => (path.endsWith("/pods") ? "3 seconds" : 0)
      followed.cut()
      yield* settle
      api.put(rawPod("b"))
      api.put(rawSlice("cart-1", "b"))
      api.delete(rawPod("a"))
      api.compact()
      yield* TestClock.adjust("3 seconds")
      assert.deepEqual(followed.held("Pod"), ["a"])
      yield* TestClock.adjust("1 second")
      assert.deepEqual(followed.held("Pod"), ["b"])
      assert.strictEqual(gaps.seen(), 0)
      assert.strictEqual(followed.source.status().state, "synced")
    })
  )

  it.effect("comes back as a whole when each kind was told to wait for another time", () =>
    Effect.gen(function* () {
      const api = shop()
      const followed = yield* followCluster(api)
      yield* settle
      const { client } = followed
      client.fault = (request) =>
        failure(request, { status: 429, retryAfter: 500 + 100 * client.requests.length })
      followed.cut()
      yield* TestClock.adjust("20 seconds")
      client.fault = () => undefined
      while (client.watches.size === 0) yield* TestClock.adjust("1 second")
      yield* TestClock.adjust("20 seconds")
      assert.strictEqual(client.watches.size, 13)
    })
  )

  it.effect("waits for slices before it believes a list that lacks their pods (D-13), and not for ever", () =>
    Effect.gen(function* () {
      const api = shop()
      const followed = yield* followCluster(api)
      yield* TestClock.adjust("1 minute")
      api.put(rawPod("b"))
      const pods = [...followed.client.watches].find(({ path }) => path.endsWith("/pods"))
      pods?.silence()
      api.delete(rawPod("a"))
      api.delete(rawPod("b"))
      api.compact()
      api.bookmark()
      yield* TestClock.adjust("1 minute")
      api.bookmark()
      yield* TestClock.adjust("31 seconds")
      // No slice names pod b.
      assert.deepEqual(followed.held("Pod"), ["a"])
      yield* TestClock.adjust("5 seconds")
      assert.deepEqual(followed.held("Pod"), [])
    })
  )

  it.effect("takes a pod at once whose deletion it sees, even while a slice names it (D-13)", () =>
    Effect.gen(function* () {
      const api = shop()
      const followed = yield* followCluster(api)
      yield* settle
      api.delete(rawPod("a"))
      yield* settle
      assert.deepEqual(followed.held("Pod"), [])
    })
  )
})

describe("watchCluster, in the place of another connection", () => {
  it.effect("takes over at once, and without a gap", () =>
    Effect.gen(function* () {
      const api = shop()
      const before = yield* followCluster(api)
      yield* settle
      const gaps = watchForGaps(before)
      const { graph, store } = before
      const after = yield* followCluster(api, { graph, store, onSynced: () => before.source.stop() })
      yield* settle
      assert.strictEqual(after.source.status().state, "synced")
      api.put(rawPod("b"))
      yield* settle
      assert.deepEqual(after.held("Pod"), ["a", "b"])
      assert.strictEqual(gaps.seen(), 0)
    })
  )

  it.effect("does not give up what the old one could read and the new one may not", () =>
    Effect.gen(function* () {
      const api = shop()
      const before = yield* followCluster(api)
      yield* settle
      const { graph, store } = before
      const other = shop()
      other.forbidden.add("pods")
      const after = yield* followCluster(other, { graph, store })
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(after.source.status().state, "syncing")
      assert.include(after.source.status().error, "pods")
      assert.deepEqual(before.held("Pod"), ["a"])
      assert.isUndefined(store.clusters.get(cluster)?.stale?.())
    })
  )
})
