import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { reflect, type ReflectorOptions, type ReflectorSink } from "./reflector.ts"
import { FakeApi, type GivenObject } from "./testing/fake-api.ts"
import { failure, FakeKubeClient } from "./testing/fake-kube-client.ts"

const path = "/apis/discovery.k8s.io/v1/endpointslices"

const slice = (name: string): GivenObject => ({
  apiVersion: "discovery.k8s.io/v1",
  kind: "EndpointSlice",
  metadata: { name, namespace: "shop" }
})

/** A reflector that follows the slices of a server, and what it has told. */
const followSlices = Effect.fnUntraced(function* (api: FakeApi, options: Partial<ReflectorOptions> = {}) {
  const client = new FakeKubeClient(api)
  const told: Array<string> = []
  const held = new Set<string>()
  let page: Array<string> = []
  const sink: ReflectorSink = {
    restarted: () => {
      page = []
    },
    page: (objects) => void page.push(...objects.map(({ metadata }) => metadata?.name ?? "")),
    listed: () => {
      held.clear()
      for (const name of page) held.add(name)
      told.push(`listed ${page.join(" ")}`.trim())
      page = []
    },
    changed: (events) => {
      for (const { object, type } of events) {
        const name = object.metadata?.name ?? ""
        if (type === "DELETED") held.delete(name)
        else held.add(name)
      }
      told.push(events.map(({ object, type }) => `${type} ${object.metadata?.name}`).join(", "))
    },
    failed: (_, failures) => void told.push(`failed ${failures}`),
    healthy: () => void told.push("healthy")
  }
  yield* Effect.forkScoped(reflect({ client, name: "slices", path, ...options }, sink))
  yield* settle
  return {
    client,
    held: () => [...held].toSorted().join(" "),
    lists: () => client.requests.filter(({ query }) => query?.watch === undefined).length,
    watch: () => {
      const [open, ...others] = client.watches
      assert.deepEqual(others, [])
      assert(open !== undefined)
      return open
    },
    /** what was told since the last look */
    told: () => told.splice(0)
  }
})

/** Lets everything happen that needs no time. */
const settle = TestClock.adjust(0)

describe("reflect", () => {
  it.effect("lists page by page, then follows", () =>
    Effect.gen(function* () {
      const api = new FakeApi()
      for (const name of ["a", "b", "c"]) api.put(slice(name))
      const { client, told } = yield* followSlices(api, { pageSize: 2 })
      assert.deepEqual(told(), ["listed a b c", "healthy"])
      assert.deepEqual(
        client.requests.map(({ query }) => query?.limit ?? query?.resourceVersion),
        ["2", "2", "1003"]
      )
      api.put(slice("d"))
      api.delete(slice("a"))
      yield* settle
      assert.deepEqual(told(), ["ADDED d", "DELETED a"])
    })
  )

  it.effect("resumes after a cut and after a proper end without a list, and misses nothing", () =>
    Effect.gen(function* () {
      const api = new FakeApi()
      api.put(slice("a"))
      const { held, lists, told, watch } = yield* followSlices(api)
      watch().cut()
      yield* settle
      api.delete(slice("a"))
      api.put(slice("b"))
      yield* TestClock.adjust("200 millis")
      assert.deepEqual(told(), ["listed a", "healthy", "failed 1", "healthy", "DELETED a", "ADDED b"])
      yield* TestClock.adjust("1 minute")
      watch().end()
      yield* settle
      api.put(slice("c"))
      yield* settle
      assert.deepEqual(told(), ["healthy", "ADDED c"])
      assert.strictEqual(held(), "b c")
      assert.strictEqual(lists(), 1)
    })
  )

  it.effect("resumes from a bookmark, so that a quiet kind does not fall behind", () =>
    Effect.gen(function* () {
      const api = new FakeApi()
      api.put(slice("a"))
      const { lists, watch } = yield* followSlices(api)
      api.compact()
      api.bookmark()
      yield* settle
      watch().cut()
      yield* TestClock.adjust("200 millis")
      assert.strictEqual(lists(), 1)
      watch()
    })
  )

  it.effect("lists anew what it missed when the server has forgotten (case 66)", () =>
    Effect.gen(function* () {
      const api = new FakeApi()
      api.put(slice("a"))
      api.put(slice("b"))
      const { held, told, watch } = yield* followSlices(api)
      yield* TestClock.adjust("1 minute")
      watch().cut()
      yield* settle
      told()
      api.delete(slice("b"))
      api.compact()
      yield* TestClock.adjust("200 millis")
      // The end of the watch is no failure: nothing but the list is told.
      assert.deepEqual(told(), ["healthy", "listed a", "healthy"])
      assert.strictEqual(held(), "a")
    })
  )

  it.effect("gives up a watch that has fallen silent", () =>
    Effect.gen(function* () {
      const api = new FakeApi()
      const { held, told, watch } = yield* followSlices(api)
      watch().silence()
      api.put(slice("a"))
      yield* TestClock.adjust("89 seconds")
      assert.strictEqual(held(), "")
      told()
      yield* TestClock.adjust("2 seconds")
      assert.deepEqual(told(), ["failed 1", "healthy", "ADDED a"])
    })
  )

  it.effect("keeps a watch to which bookmarks come", () =>
    Effect.gen(function* () {
      const api = new FakeApi()
      const { client } = yield* followSlices(api)
      for (let minute = 0; minute < 4; minute++) {
        yield* TestClock.adjust("1 minute")
        api.bookmark()
        yield* settle
      }
      assert.lengthOf(client.requests, 2)
    })
  )

  it.effect("resumes after a line that was cut off", () =>
    Effect.gen(function* () {
      const api = new FakeApi()
      api.put(slice("a"))
      const { held, lists, watch } = yield* followSlices(api)
      watch().send(`{"type":"ADDED","object":{"metadata":{"name":"z"`)
      watch().cut()
      api.put(slice("b"))
      yield* TestClock.adjust("200 millis")
      assert.strictEqual(held(), "a b")
      assert.strictEqual(lists(), 1)
    })
  )

  it.effect("lists anew when a watch cannot be read at the same place twice", () =>
    Effect.gen(function* () {
      const api = new FakeApi()
      api.put(slice("a"))
      const { held, lists, watch } = yield* followSlices(api)
      for (let time = 0; time < 2; time++) {
        watch().send("no JSON\n")
        yield* TestClock.adjust("1 second")
      }
      assert.strictEqual(lists(), 2)
      assert.strictEqual(held(), "a")
    })
  )

  it.effect("begins a list anew without pages when it took too long for the server", () =>
    Effect.gen(function* () {
      const api = new FakeApi()
      for (const name of ["a", "b", "c"]) api.put(slice(name))
      const client = new FakeKubeClient(api)
      client.fault = ({ query }) => {
        if (query?.continue !== undefined) api.compact()
        return undefined
      }
      const { told } = yield* followSlices(api, { client, pageSize: 2 })
      assert.deepEqual(told(), ["listed a b c", "healthy"])
    })
  )

  it.effect("waits longer and longer, and never asks twice at the same time (case 68)", () =>
    Effect.gen(function* () {
      const api = new FakeApi()
      const { client, held, told, watch } = yield* followSlices(api)
      yield* TestClock.adjust("5 minutes")
      client.fault = (request) => failure(request, { status: 500 })
      watch().cut()
      const before = client.requests.length
      yield* TestClock.adjust("30 seconds")
      client.fault = (request) => failure(request)
      yield* TestClock.adjust("30 seconds")
      assert.isAtMost(client.requests.length - before, 20)
      client.fault = () => undefined
      api.put(slice("a"))
      told()
      yield* TestClock.adjust("30 seconds")
      assert.deepEqual(told(), ["healthy", "ADDED a"])
      assert.strictEqual(held(), "a")
      watch()
    })
  )

  it.effect("waits as long as the server asks for", () =>
    Effect.gen(function* () {
      const api = new FakeApi()
      const { client, told, watch } = yield* followSlices(api)
      client.fault = (request) => failure(request, { status: 429, retryAfter: 7000 })
      watch().cut()
      yield* TestClock.adjust("1 second")
      told()
      const before = client.requests.length
      yield* TestClock.adjust("6 seconds")
      assert.strictEqual(client.requests.length, before)
      yield* TestClock.adjust("1 second")
      assert.strictEqual(client.requests.length, before + 1)
    })
  )

  it.effect("tries sooner when it is told that it may help", () =>
    Effect.gen(function* () {
      const api = new FakeApi()
      const waiting: Array<() => void> = []
      const sooner = () =>
        Effect.callback<void>((resume) => {
          waiting.push(() => resume(Effect.void))
        })
      const client = new FakeKubeClient(api)
      client.fault = (request) => failure(request, { status: 500 })
      yield* followSlices(api, { client, sooner })
      yield* TestClock.adjust("2 minutes")
      const before = client.requests.length
      client.fault = () => undefined
      for (const wake of waiting) wake()
      yield* settle
      assert.strictEqual(client.requests.length, before + 2)
    })
  )

  it.effect("looks every now and then whether what is absent or forbidden has changed", () =>
    Effect.gen(function* () {
      const api = new FakeApi()
      api.absent.add("endpointslices")
      const { client, told } = yield* followSlices(api)
      yield* TestClock.adjust("1 minute")
      assert.lengthOf(client.requests, 7)
      told()
      api.absent.clear()
      api.put(slice("a"))
      yield* TestClock.adjust("10 seconds")
      assert.deepEqual(told(), ["listed a", "healthy"])
    })
  )

  it.effect("asks for nothing any more once it is interrupted", () =>
    Effect.gen(function* () {
      const client = new FakeKubeClient(new FakeApi())
      const sink: ReflectorSink = {
        changed: () => undefined,
        failed: () => undefined,
        healthy: () => undefined,
        listed: () => undefined,
        page: () => undefined,
        restarted: () => undefined
      }
      const fiber = yield* Effect.forkChild(reflect({ client, name: "slices", path }, sink))
      yield* settle
      yield* Fiber.interrupt(fiber)
      assert.strictEqual(client.watches.size, 0)
      yield* TestClock.adjust("10 minutes")
      assert.lengthOf(client.requests, 2)
    })
  )
})
