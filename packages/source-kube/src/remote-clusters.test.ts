import { assert, describe, it } from "@effect/vitest"
import { Effect, Metric } from "effect"
import { TestClock } from "effect/testing"
import { remoteClusterTimeouts } from "./remote-clusters.ts"
import { failure } from "./testing/fake-kube-client.ts"
import { rawPod } from "./testing/raw-objects.ts"
import { makeRemoteWorld, secretOf } from "./testing/remote-world.ts"

describe("makeRemoteClusters", () => {
  it.effect("reads each cluster that secrets name, and follows it", () =>
    Effect.gen(function* () {
      const { apiOf, pods, set, statuses, store } = yield* makeRemoteWorld()
      apiOf("west").put(rawPod("a"))
      apiOf("south").put(rawPod("b"))
      set(secretOf("all", { west: "good", south: "good" }))
      assert.isFalse(store.synced())
      yield* TestClock.adjust(0)
      assert.isTrue(store.synced())
      apiOf("west").put(rawPod("c"))
      yield* TestClock.adjust(0)
      assert.deepStrictEqual([pods("west"), pods("south")], [["a", "c"], ["b"]])
      assert.deepStrictEqual(
        statuses().map(({ cluster, state }) => [cluster, state]),
        [
          ["south", "synced"],
          ["west", "synced"]
        ]
      )
    })
  )

  it.effect("a changed secret is read aside and takes over at once; then the old connection is closed", () =>
    Effect.gen(function* () {
      const { apiOf, connected, graph, pods, prepareClients, set } = yield* makeRemoteWorld()
      apiOf("west").put(rawPod("a"))
      set(secretOf("west", { west: "first" }))
      yield* TestClock.adjust(0)
      prepareClients((client) => {
        client.delay = () => "5 seconds"
      })
      let seen = pods("west")
      graph.onCommit(() => {
        assert.include(pods("west"), "a")
        seen = pods("west")
      })
      set(secretOf("west", { west: "second" }))
      yield* TestClock.adjust("3 seconds")
      apiOf("west").put(rawPod("b"))
      yield* TestClock.adjust(0)
      // Told by the old one, while the new one is being read.
      assert.deepStrictEqual(seen, ["a", "b"])
      assert.isFalse(connected[0]?.isClosed)
      yield* TestClock.adjust("10 seconds")
      assert.isTrue(connected[0]?.isClosed)
      assert.strictEqual(connected[0]?.client.watches.size, 0)
      apiOf("west").put(rawPod("c"))
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual(pods("west"), ["a", "b", "c"])
    })
  )

  it.effect("gives the client that a cluster is read with, while it is read with it", () =>
    Effect.gen(function* () {
      const { clientOf, connected, set } = yield* makeRemoteWorld()
      set(secretOf("west", { west: "first" }))
      assert.isUndefined(clientOf("west"))
      yield* TestClock.adjust(0)
      assert.strictEqual(clientOf("west"), connected[0]?.client)
      set(secretOf("west", { west: "second" }))
      yield* TestClock.adjust(0)
      assert.strictEqual(clientOf("west"), connected[1]?.client)
      set()
      assert.isUndefined(clientOf("west"))
    })
  )

  it.effect("a secret that says the same as before changes nothing, nor does one more secret", () =>
    Effect.gen(function* () {
      const { connected, set } = yield* makeRemoteWorld()
      set(secretOf("west", { west: "good" }))
      yield* TestClock.adjust(0)
      set(secretOf("west", { west: "good" }))
      set(secretOf("west", { west: "good" }), secretOf("x-west", { west: "other" }))
      yield* TestClock.adjust(0)
      assert.lengthOf(connected, 1)
    })
  )

  it.effect("credentials that are not let in leave the old ones at work, and are told", () =>
    Effect.gen(function* () {
      const { apiOf, connected, pods, prepareClients, set, statusOf } = yield* makeRemoteWorld()
      apiOf("west").put(rawPod("a"))
      set(secretOf("west", { west: "good" }))
      yield* TestClock.adjust(0)
      prepareClients((client) => {
        client.fault = (request) => failure(request, { status: 401, detail: "Unauthorized" })
      })
      set(secretOf("west", { west: "refused" }))
      yield* TestClock.adjust("1 minute")
      apiOf("west").put(rawPod("b"))
      yield* TestClock.adjust(0)
      assert.deepStrictEqual(pods("west"), ["a", "b"])
      assert.strictEqual(statusOf("west")?.state, "synced")
      assert.match(statusOf("west")?.error ?? "", /Unauthorized/)
      // The old secret again: its connection is still there.
      set(secretOf("west", { west: "good" }))
      yield* TestClock.adjust(0)
      assert.isUndefined(statusOf("west")?.error)
      assert.deepStrictEqual(
        connected.map(({ isClosed, kubeconfig }) => [kubeconfig, isClosed]),
        [
          ["good", false],
          ["refused", true]
        ]
      )
    })
  )

  it.effect("a kubeconfig that is none holds nobody up, and the next one counts", () =>
    Effect.gen(function* () {
      const { apiOf, pods, set, statusOf, store } = yield* makeRemoteWorld()
      apiOf("west").put(rawPod("a"))
      set(secretOf("west", { west: "broken" }), secretOf("south", { south: "good" }))
      yield* TestClock.adjust(0)
      assert.isTrue(store.synced())
      assert.strictEqual(statusOf("south")?.state, "synced")
      assert.strictEqual(statusOf("west")?.state, "failed")
      const because = "Cannot use the kubeconfig in secret west: it is broken."
      assert.strictEqual(statusOf("west")?.error, because)
      assert.strictEqual(
        store.clusters.get("west")?.stale?.()?.because,
        `cluster west is not synced: ${because}`
      )
      set(secretOf("west", { west: "good" }))
      yield* TestClock.adjust(0)
      assert.deepStrictEqual(pods("west"), ["a"])
      assert.strictEqual(statusOf("west")?.state, "synced")
      assert.isUndefined(store.clusters.get("west")?.stale?.())
      set(secretOf("west", { west: "broken" }))
      yield* TestClock.adjust("1 hour")
      assert.deepStrictEqual(pods("west"), ["a"])
      assert.deepInclude(statusOf("west"), { state: "synced", error: because })
    })
  )

  it.effect("a cluster that does not answer is waited for so long, then shown as missing (case 44)", () =>
    Effect.gen(function* () {
      const { apiOf, connected, pods, prepareClients, set, statusOf, store } = yield* makeRemoteWorld({
        clusterTimeout: "3 seconds"
      })
      const before = (yield* Metric.value(remoteClusterTimeouts)).count
      apiOf("west").put(rawPod("a"))
      prepareClients((client, { cluster }) => {
        if (cluster === "west") client.fault = (request) => failure(request, { detail: "no route to host" })
      })
      set(secretOf("west", { west: "good" }), secretOf("south", { south: "good" }))
      yield* TestClock.adjust("2900 millis")
      assert.isFalse(store.synced())
      assert.strictEqual(statusOf("west")?.state, "syncing")
      yield* TestClock.adjust("100 millis")
      assert.isTrue(store.synced())
      assert.strictEqual(statusOf("south")?.state, "synced")
      assert.strictEqual(statusOf("west")?.state, "timeout")
      assert.strictEqual((yield* Metric.value(remoteClusterTimeouts)).count, before + 1)
      const because = (): string | undefined => store.clusters.get("west")?.stale?.()?.because
      assert.match(
        because() ?? "",
        /^cluster west is not synced: Cannot list .*: no route to host\. See what .kubectl get --raw /
      )
      assert.match(statusOf("west")?.error ?? "", /no route to host/)
      const west = connected.find(({ cluster }) => cluster === "west")?.client
      assert.isDefined(west)
      west.fault = () => undefined
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(statusOf("west")?.state, "synced")
      assert.deepStrictEqual(pods("west"), ["a"])
      assert.isUndefined(because())
    })
  )

  it.effect("a secret that is gone takes the cluster along, in one transaction (D-7)", () =>
    Effect.gen(function* () {
      const { apiOf, connected, graph, set, statuses, store } = yield* makeRemoteWorld()
      for (const name of ["a", "b"]) apiOf("west").put(rawPod(name))
      set(secretOf("west", { west: "good" }))
      yield* TestClock.adjust(0)
      let commits = 0
      graph.onCommit(() => commits++)
      set()
      apiOf("west").put(rawPod("c"))
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(commits, 1)
      assert.isUndefined(store.clusters.get("west"))
      assert.isEmpty(statuses())
      assert.isTrue(connected[0]?.isClosed)
    })
  )

  it.effect("of two secrets for one cluster the next one counts when the first is gone, without a gap", () =>
    Effect.gen(function* () {
      const { apiOf, connected, graph, pods, set } = yield* makeRemoteWorld()
      apiOf("west").put(rawPod("a"))
      set(secretOf("one", { west: "first" }), secretOf("two", { west: "second" }))
      yield* TestClock.adjust(0)
      graph.onCommit(() => assert.deepStrictEqual(pods("west"), ["a"]))
      set(secretOf("two", { west: "second" }))
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(
        connected.map(({ isClosed, kubeconfig }) => [kubeconfig, isClosed]),
        [
          ["first", true],
          ["second", false]
        ]
      )
    })
  )
})
