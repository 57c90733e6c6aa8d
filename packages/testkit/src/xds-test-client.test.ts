import { assert, describe, it } from "@effect/vitest"
import { type XdsGenerator, XdsGenerators, XdsUpdater } from "@istiod-lite/model"
import { ClusterLoadAssignment, clusterTypeUrl, endpointTypeUrl } from "@istiod-lite/xds-proto"
import { XdsServer } from "@istiod-lite/xds-server"
import { Effect, Layer } from "effect"
import { connectXdsTestClient } from "./xds-test-client.ts"

/** Assignments with one priority each, which a test may change: name → priority. */
const assignments = (world: Map<string, number>): XdsGenerator => ({
  typeUrl: endpointTypeUrl,
  order: 1,
  allResourcesRequired: false,
  generate: (names) =>
    names.map((name) => {
      const priority = world.get(name)
      const endpoints = priority === undefined ? [] : [{ lbEndpoints: [], priority }]
      const bytes = ClusterLoadAssignment.encode({
        clusterName: name,
        endpoints,
        namedEndpoints: {}
      }).finish()
      return { name, version: String(priority), bytes }
    })
})
const clusters: XdsGenerator = {
  typeUrl: clusterTypeUrl,
  order: 0,
  allResourcesRequired: true,
  generate: () => [{ name: "a", version: "1", bytes: ClusterLoadAssignment.encode(empty("a")).finish() }]
}
const empty = (clusterName: string): ClusterLoadAssignment => ({
  clusterName,
  endpoints: [],
  namedEndpoints: {}
})

const served = (world: Map<string, number>) =>
  XdsServer.layer({ port: 0 }).pipe(
    Layer.provide(Layer.succeed(XdsGenerators, [assignments(world), clusters]))
  )

const pushAll = Effect.map(XdsUpdater, ({ push }) =>
  push({
    full: true,
    services: new Set(),
    endpoints: new Set(),
    proxies: new Set(),
    reasons: new Map(),
    since: 0
  })
)

const client = (options: { readonly delta: boolean; readonly autoAck?: boolean }) =>
  Effect.flatMap(XdsServer, ({ address: { port } }) =>
    connectXdsTestClient({ port, node: "test", ...options })
  )

describe.each([{ delta: false }, { delta: true }])("connectXdsTestClient $delta", ({ delta }) => {
  it.live("subscribes, acknowledges and sees what changes", () => {
    const world = new Map([["a", 1]])
    return Effect.gen(function* () {
      const stream = yield* client({ delta })
      yield* stream.subscribe(endpointTypeUrl, ["a", "b"])
      const first = yield* stream.next(endpointTypeUrl)
      assert.deepStrictEqual(
        first.resources.map(({ name }) => name),
        ["a", "b"]
      )
      world.set("b", 2)
      yield* pushAll
      yield* stream.waitFor(endpointTypeUrl, (resources) => resources.get("b")!.bytes.length > 3)
      assert.strictEqual(stream.waiting(endpointTypeUrl), 0)
    }).pipe(Effect.scoped, Effect.provide(served(world)))
  })

  it.live("is answered when it takes up again what it had given up", () =>
    Effect.gen(function* () {
      const stream = yield* client({ delta })
      yield* stream.subscribe(endpointTypeUrl, ["a", "b"])
      yield* stream.next(endpointTypeUrl)
      yield* stream.unsubscribe(endpointTypeUrl, ["a"])
      yield* stream.subscribe(endpointTypeUrl, ["a"])
      const answer = yield* stream.next(endpointTypeUrl)
      assert.deepStrictEqual(
        answer.resources.map(({ name }) => name),
        ["a"]
      )
    }).pipe(Effect.scoped, Effect.provide(served(new Map())))
  )

  it.live("gets endpoints again that it waits for after it got clusters", () =>
    Effect.gen(function* () {
      const stream = yield* client({ delta })
      yield* stream.subscribe(endpointTypeUrl, ["a"])
      yield* stream.next(endpointTypeUrl)
      yield* stream.subscribe(clusterTypeUrl, [])
      yield* stream.next(clusterTypeUrl)
      if (!delta) yield* stream.askAgain(endpointTypeUrl)
      assert.strictEqual((yield* stream.next(endpointTypeUrl)).resources.length, 1)
    }).pipe(Effect.scoped, Effect.provide(served(new Map([["a", 1]]))))
  )

  it.live("refuses, and the server knows why", () =>
    Effect.gen(function* () {
      const server = yield* XdsServer
      const stream = yield* client({ delta, autoAck: false })
      yield* stream.subscribe(endpointTypeUrl, ["a"])
      yield* stream.nack(yield* stream.next(endpointTypeUrl), "not like this")
      // Requests are handled in order: the answer to the next one proves that the refusal has arrived.
      yield* stream.subscribe(endpointTypeUrl, ["b"])
      yield* stream.next(endpointTypeUrl)
      assert.strictEqual(server.connections()[0]?.subscriptions[0]?.refused?.message, "not like this")
    }).pipe(Effect.scoped, Effect.provide(served(new Map())))
  )

  it.live("tells how the stream ended", () =>
    Effect.gen(function* () {
      const stream = yield* client({ delta })
      yield* stream.sendRaw(new Uint8Array([255]))
      const error = yield* Effect.flip(stream.next(endpointTypeUrl))
      assert.strictEqual(error.code, 3)
      assert.match(error.message, /Cannot read the request/)
    }).pipe(Effect.scoped, Effect.provide(served(new Map())))
  )
})
