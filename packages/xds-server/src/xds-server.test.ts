import * as grpc from "@grpc/grpc-js"
import { assert, describe, it } from "@effect/vitest"
import {
  AuthenticationError,
  ProxyAuthenticator,
  type PushRequest,
  type XdsGenerator,
  XdsGenerators,
  XdsUpdater
} from "@istiod-lite/model"
import {
  clusterTypeUrl,
  DeltaDiscoveryRequest,
  DeltaDiscoveryResponse,
  DiscoveryRequest,
  DiscoveryResponse,
  endpointTypeUrl,
  type Node
} from "@istiod-lite/xds-proto"
import { Deferred, Effect, Layer, Metric, Queue, type Scope } from "effect"
import { connect, type IncomingHttpHeaders } from "node:http2"
import { transports } from "./testing/transports.ts"
import { silentObserver } from "./observer.ts"
import type { XdsTransport } from "./transport.ts"
import { XdsServer, type XdsServerOptions } from "./xds-server.ts"

/** A type whose resources are what the test puts into `world`: name → text. */
const scripted = (typeUrl: string, order: number, allResourcesRequired = false) => {
  const world = new Map<string, { readonly version: string; readonly bytes: Uint8Array }>()
  const generator: XdsGenerator = {
    typeUrl,
    order,
    allResourcesRequired,
    generate: (names) =>
      [...world]
        .filter(([name]) => names.includes("*") || names.includes(name))
        .map(([name, { bytes, version }]) => ({ name, version, bytes })),
    scopeOf: (request) => (typeUrl === clusterTypeUrl ? request.services : request.endpoints)
  }
  const put = (name: string, content: string | Uint8Array): void => {
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content
    world.set(name, { version: typeof content === "string" ? content : `${content.length}`, bytes })
  }
  return { world, generator, put }
}

const changed = (...endpoints: ReadonlyArray<string>): PushRequest => ({
  full: false,
  services: new Set(),
  endpoints: new Set(endpoints),
  proxies: new Set(),
  reasons: new Map([["endpoint", 1]]),
  since: 0
})

const node = (id: string): Node => ({
  id,
  cluster: "",
  dynamicParameters: {},
  userAgentName: "",
  extensions: [],
  clientFeatures: [],
  listeningAddresses: []
})

const identity = (bytes: Buffer): Buffer => bytes
interface RawStream {
  readonly write: (message: Uint8Array) => void
  readonly messages: Queue.Queue<Buffer>
  readonly ended: Effect.Effect<grpc.StatusObject>
  readonly call: grpc.ClientDuplexStream<Buffer, Buffer>
}

const rawStream = (method: string, metadata = new grpc.Metadata()) =>
  Effect.gen(function* () {
    const { address } = yield* XdsServer
    const client = yield* Effect.acquireRelease(
      Effect.sync(() => new grpc.Client(`127.0.0.1:${address.port}`, grpc.credentials.createInsecure())),
      (client) => Effect.sync(() => client.close())
    )
    const call = client.makeBidiStreamRequest(
      `/envoy.service.discovery.v3.AggregatedDiscoveryService/${method}`,
      identity,
      identity,
      metadata
    )
    const messages = yield* Queue.unbounded<Buffer>()
    const status = yield* Deferred.make<grpc.StatusObject>()
    call.on("data", (message: Buffer) => void Queue.offerUnsafe(messages, message))
    call.on("error", () => {})
    call.on("status", (end) => void Deferred.doneUnsafe(status, Effect.succeed(end)))
    yield* Effect.addFinalizer(() => Effect.sync(() => call.cancel()))
    const stream: RawStream = {
      write: (message) => void call.write(Buffer.from(message)),
      messages,
      ended: Deferred.await(status),
      call
    }
    return stream
  })

const sotw = (id = "sidecar~10.0.0.1~reviews-1.shop~shop.svc.cluster.local") =>
  Effect.map(rawStream("StreamAggregatedResources"), (stream) => ({
    ...stream,
    ask: (resourceNames: ReadonlyArray<string>, responseNonce = "", error = "", typeUrl = endpointTypeUrl) =>
      stream.write(
        DiscoveryRequest.encode({
          versionInfo: "",
          node: node(id),
          resourceNames,
          resourceLocators: [],
          typeUrl,
          responseNonce,
          errorDetail: error === "" ? undefined : { code: 3, message: error, details: [] }
        }).finish()
      ),
    next: Effect.map(Queue.take(stream.messages), (bytes) => {
      const { nonce, resources, typeUrl, versionInfo } = DiscoveryResponse.decode(bytes)
      return {
        nonce,
        typeUrl,
        versionInfo,
        contents: resources.map(({ value }) => new TextDecoder().decode(value))
      }
    })
  }))

const delta = () =>
  Effect.map(rawStream("DeltaAggregatedResources"), (stream) => ({
    ...stream,
    ask: (parts: Partial<DeltaDiscoveryRequest>) =>
      stream.write(
        DeltaDiscoveryRequest.encode({
          node: node("delta-client"),
          typeUrl: endpointTypeUrl,
          resourceNamesSubscribe: [],
          resourceNamesUnsubscribe: [],
          resourceLocatorsSubscribe: [],
          resourceLocatorsUnsubscribe: [],
          initialResourceVersions: {},
          responseNonce: "",
          ...parts
        }).finish()
      ),
    next: Effect.map(Queue.take(stream.messages), (bytes) => {
      const { nonce, removedResources, resources } = DeltaDiscoveryResponse.decode(bytes)
      return {
        nonce,
        removed: removedResources,
        resources: resources.map(({ name, version }) => `${name}@${version}`)
      }
    })
  }))

type Served = XdsServer | XdsUpdater | Scope.Scope

/** How servers over one of the transports are made and used. */
const over = (transport: XdsTransport) => {
  const served = (generators: ReadonlyArray<XdsGenerator>, options: Partial<XdsServerOptions> = {}) =>
    XdsServer.layer({ port: 0, transport, ...options }).pipe(
      Layer.provide(Layer.succeed(XdsGenerators, generators))
    )
  const run = <A, E>(
    generators: ReadonlyArray<XdsGenerator>,
    test: Effect.Effect<A, E, Served>,
    options?: Partial<XdsServerOptions>
  ) => Effect.scoped(test).pipe(Effect.provide(served(generators, options)))
  return { served, run }
}

describe.each(transports)("XdsServer over %s", (_, makeTransport) => {
  const { run, served } = over(makeTransport())

  it.live("answers, pushes what changed, and knows what was accepted and refused", () => {
    const eds = scripted(endpointTypeUrl, 1)
    eds.put("a", "a1")
    eds.put("b", "b1")
    return run(
      [eds.generator],
      Effect.gen(function* () {
        const server = yield* XdsServer
        const updater = yield* XdsUpdater
        const client = yield* sotw()
        client.ask(["a", "b"])
        const first = yield* client.next
        assert.deepStrictEqual(first.contents, ["a1", "b1"])
        client.ask(["a", "b"], first.nonce)
        eds.put("b", "b2")
        eds.put("unrelated", "u2")
        updater.push(changed("b", "unrelated"))
        const second = yield* client.next
        assert.deepStrictEqual(second.contents, ["b2"])
        assert.notStrictEqual(second.versionInfo, first.versionInfo)
        client.ask(["a", "b"], second.nonce, "b2 is bad")
        // A third response proves that the refusal was taken in: requests are handled in order.
        client.ask(["a", "b", "unrelated"], second.nonce)
        assert.deepStrictEqual((yield* client.next).contents, ["u2"])
        const [connection] = server.connections()
        assert.strictEqual(connection?.proxy?.name, "reviews-1")
        const subscription = connection?.subscriptions[0]
        assert.strictEqual(subscription?.names, 3)
        assert.strictEqual(subscription?.refused?.message, "b2 is bad")
        assert.deepStrictEqual([...(subscription?.subscribed ?? [])], ["a", "b", "unrelated"])
        assert.deepStrictEqual(Object.fromEntries(subscription?.versions ?? []), {
          a: "a1",
          b: "b2",
          unrelated: "u2"
        })
        assert.isFalse(subscription?.owes)
      })
    )
  })

  it.live("serves delta on the same port", () => {
    const eds = scripted(endpointTypeUrl, 1)
    eds.put("a", "a1")
    eds.put("b", "b1")
    return run(
      [eds.generator],
      Effect.gen(function* () {
        const updater = yield* XdsUpdater
        const client = yield* delta()
        client.ask({ resourceNamesSubscribe: ["a", "b"], initialResourceVersions: { a: "a1", b: "old" } })
        const first = yield* client.next
        assert.deepStrictEqual(first.resources, ["b@b1"])
        client.ask({ responseNonce: first.nonce })
        eds.world.delete("a")
        updater.push(changed("a"))
        assert.deepStrictEqual((yield* client.next).removed, ["a"])
      })
    )
  })

  it.live("sends clusters before endpoints, whatever was asked first while it was busy", () => {
    const eds = scripted(endpointTypeUrl, 2)
    const cds = scripted(clusterTypeUrl, 1, true)
    eds.put("a", "a1")
    cds.put("a", "cluster a1")
    return Effect.gen(function* () {
      const ready = yield* Deferred.make<void>()
      yield* run(
        [eds.generator, cds.generator],
        Effect.gen(function* () {
          const client = yield* sotw()
          client.ask(["a"])
          client.ask([], "", "", clusterTypeUrl)
          const server = yield* XdsServer
          yield* until(() => server.connections()[0]?.subscriptions.length === 2)
          assert.strictEqual(yield* Queue.size(client.messages), 0)
          yield* Deferred.succeed(ready, undefined)
          assert.strictEqual((yield* client.next).typeUrl, clusterTypeUrl)
          assert.strictEqual((yield* client.next).typeUrl, endpointTypeUrl)
        }),
        { ready: Deferred.await(ready) }
      )
    })
  })

  it.live("goes on with other types after a NACK, and lives on after an unknown type", () => {
    const eds = scripted(endpointTypeUrl, 2)
    const cds = scripted(clusterTypeUrl, 1, true)
    eds.put("a", "a1")
    cds.put("a", "cluster a1")
    return run(
      [eds.generator, cds.generator],
      Effect.gen(function* () {
        const client = yield* sotw()
        client.ask([], "", "", "type.googleapis.com/of.no.Body")
        client.ask([], "", "", clusterTypeUrl)
        const clusters = yield* client.next
        client.ask([], clusters.nonce, "no such cluster type", clusterTypeUrl)
        client.ask(["a"])
        assert.deepStrictEqual((yield* client.next).contents, ["a1"])
      })
    )
  })

  it.live("ends streams with INVALID_ARGUMENT on noise and on a first request without node", () =>
    run(
      [scripted(endpointTypeUrl, 1).generator],
      Effect.gen(function* () {
        const noise = yield* rawStream("StreamAggregatedResources")
        noise.write(new Uint8Array([255, 255, 255]))
        const end = yield* noise.ended
        assert.strictEqual(end.code, grpc.status.INVALID_ARGUMENT)
        assert.match(end.details, /^Cannot read the request/)

        const nobody = yield* rawStream("DeltaAggregatedResources")
        nobody.write(DiscoveryRequest.encode({ ...emptyRequest, typeUrl: endpointTypeUrl }).finish())
        const ended = yield* nobody.ended
        assert.strictEqual(ended.code, grpc.status.INVALID_ARGUMENT)
        assert.match(ended.details, /first request must say in `node`/)
      })
    )
  )

  it.live(
    "ends a stream with UNIMPLEMENTED whose messages are compressed in a way we do not speak (S-84)",
    () =>
      run(
        [],
        Effect.gen(function* () {
          const { address } = yield* XdsServer
          assert.strictEqual(yield* compressedCall(address.port, "snappy"), String(grpc.status.UNIMPLEMENTED))
        })
      )
  )

  it.live("refuses a node that the authenticator refuses", () =>
    run(
      [scripted(endpointTypeUrl, 1).generator],
      Effect.gen(function* () {
        const client = yield* sotw("impostor")
        client.ask(["a"])
        const end = yield* client.ended
        assert.strictEqual(end.code, grpc.status.PERMISSION_DENIED)
        assert.match(end.details, /Cannot accept node impostor from 127.0.0.1:\d+: wrong identity/)
      })
    ).pipe(
      Effect.provideService(ProxyAuthenticator, {
        authenticate: ({ address }, { id }) =>
          Effect.fail(new AuthenticationError({ peer: address, node: id, reason: "wrong identity" }))
      })
    )
  )

  it.live("refuses everybody when the authenticator breaks", () =>
    run(
      [scripted(endpointTypeUrl, 1).generator],
      Effect.gen(function* () {
        const client = yield* sotw()
        client.ask(["a"])
        const end = yield* client.ended
        assert.strictEqual(end.code, grpc.status.PERMISSION_DENIED)
        assert.match(end.details, /the authenticator failed/)
      })
    ).pipe(Effect.provideService(ProxyAuthenticator, { authenticate: () => Effect.die(new Error("broken")) }))
  )

  it.live("drains: open streams end with UNAVAILABLE", () =>
    Effect.gen(function* () {
      const eds = scripted(endpointTypeUrl, 1)
      eds.put("a", "a1")
      const client = yield* Effect.gen(function* () {
        const client = yield* sotw()
        client.ask(["a"])
        yield* client.next
        return client
      }).pipe(Effect.provide(served([eds.generator])))
      const end = yield* client.ended
      assert.strictEqual(end.code, grpc.status.UNAVAILABLE)
      assert.strictEqual(end.details, "draining")
    })
  )

  it.live("cuts a stream that does not end in time", () =>
    Effect.gen(function* () {
      const eds = scripted(endpointTypeUrl, 1)
      eds.put("big", large(64_000_000))
      const transport = makeTransport({ drainTimeout: "50 millis" })
      const stuck = yield* Effect.gen(function* () {
        const stuck = yield* sotw()
        stuck.call.pause()
        stuck.ask(["big"])
        const server = yield* XdsServer
        yield* until(() => server.connections()[0]?.writing === true)
        return stuck
      }).pipe(Effect.provide(served([eds.generator], { transport })))
      stuck.call.resume()
      assert.notStrictEqual((yield* stuck.ended).code, grpc.status.OK)
    })
  )

  it.live("counts under Istio's names", () => {
    const eds = scripted(endpointTypeUrl, 1)
    eds.put("a", "a1")
    return run(
      [eds.generator],
      Effect.gen(function* () {
        const updater = yield* XdsUpdater
        const client = yield* sotw()
        client.ask(["a"])
        client.ask(["a"], (yield* client.next).nonce, "bad")
        eds.put("a", "a2")
        updater.push(changed("a"))
        yield* client.next
        const seen = new Map((yield* Metric.snapshot).map((metric) => [metric.id, metric]))
        const count = (id: string): unknown => {
          const state = seen.get(id)?.state
          return state !== undefined && "count" in state ? state.count : undefined
        }
        assert.strictEqual(count("pilot_xds_pushes"), 2)
        assert.strictEqual(count("pilot_total_xds_rejects"), 1)
        assert.strictEqual(count("pilot_push_triggers"), 1)
        assert.isTrue(seen.has("pilot_xds"))
      })
    ).pipe(
      Effect.provideServiceEffect(
        Metric.MetricRegistry,
        Effect.sync(() => new Map())
      )
    )
  })

  it.live("says which address is taken, and what to do", () =>
    run(
      [],
      Effect.gen(function* () {
        const { address } = yield* XdsServer
        const error = yield* Effect.flip(Effect.scoped(Layer.build(served([], { port: address.port }))))
        assert.strictEqual(error._tag, "BindError")
        assert.match(error.message, new RegExp(`127.0.0.1:${address.port}.*Another program uses the port`))
      })
    )
  )
})

describe.each(transports)("XdsServer under load over %s", (_, makeTransport) => {
  const { run } = over(makeTransport())

  it.live("keeps one response in flight to a client that never reads, and owes it the newest", () => {
    const eds = scripted(endpointTypeUrl, 1)
    eds.put("big", large(0))
    eds.put("small", "s0")
    return run(
      [eds.generator],
      Effect.gen(function* () {
        const server = yield* XdsServer
        const updater = yield* XdsUpdater
        const stuck = yield* sotw("stuck")
        const reader = yield* sotw("reader")
        stuck.call.pause()
        stuck.ask(["big"])
        reader.ask(["small"])
        yield* reader.next
        for (let round = 1; round <= 50; round++) {
          eds.put("big", large(round))
          eds.put("small", `s${round}`)
          updater.push(changed("big", "small"))
          // The other stream gets every push: nobody waits for the stuck one.
          assert.deepStrictEqual((yield* reader.next).contents, [`s${round}`])
        }
        assert.isTrue(server.connections().find(({ node }) => node === "stuck")?.writing)
        stuck.call.resume()
        const sizes: Array<number> = []
        while (sizes.at(-1) !== 1_000_050) sizes.push((yield* stuck.next).contents[0]!.length)
        // A paused grpc-js call itself buffers 16 messages; the server adds none to what the client can hold.
        assert.isBelow(sizes.length, 25)
      })
    )
  })

  it.live(
    "owes a client that does not read its names and no bytes, through 10,000 changes",
    () => {
      const names = Array.from({ length: 100 }, (_, i) => `big-${i}`)
      const eds = scripted(endpointTypeUrl, 1)
      for (const name of [...names, "small"]) eds.put(name, "0")
      let generatedForStuck = 0
      let pushes = 0
      const generator: XdsGenerator = {
        ...eds.generator,
        removalsOf: ({ removals }) => removals ?? new Set(),
        generate: (wanted, proxy) => {
          if (proxy.id !== "stuck") return eds.generator.generate(wanted, proxy)
          generatedForStuck++
          return eds.generator.generate(wanted, proxy).map(({ name, version }) => ({
            name,
            version,
            bytes: new Uint8Array(30_000).fill(Number(version) % 256)
          }))
        }
      }
      return run(
        [generator],
        Effect.gen(function* () {
          const server = yield* XdsServer
          const updater = yield* XdsUpdater
          const stuck = yield* sotw("stuck")
          const reader = yield* sotw("reader")
          stuck.call.pause()
          stuck.ask(names)
          reader.ask(["small"])
          yield* reader.next
          for (let change = 1; change <= 10_000; change++) {
            const name = names[change % names.length]!
            eds.put(name, String(change))
            updater.push({ ...changed(name), removals: new Set(change % 2 === 0 ? [name] : []) })
            // In a turn of its own, so that it is a push of its own.
            yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
            if (change % 1000 > 0) continue
            eds.put("small", String(change))
            updater.push(changed("small"))
            assert.deepStrictEqual((yield* reader.next).contents, [String(change)])
          }
          assert.isAbove(pushes, 5000)
          assert.isTrue(server.connections().find(({ node }) => node === "stuck")?.writing)
          // What a paused grpc-js call itself buffers, at most 16 messages; nothing was made that waits here.
          assert.isBelow(generatedForStuck, 25)
          stuck.call.resume()
          const held = (): ReadonlyMap<string, string | undefined> =>
            server.connections().find(({ node }) => node === "stuck")!.subscriptions[0]!.versions
          yield* until(() => names.every((name) => held().get(name) === eds.world.get(name)?.version))
          assert.isBelow(generatedForStuck, 30)
        }),
        { observers: [{ ...silentObserver, pushed: () => void pushes++ }] }
      )
    },
    30_000
  )

  it.live("shares one buffer between equal streams", () => {
    const eds = scripted(endpointTypeUrl, 1)
    eds.put("a", "a1")
    eds.put("b", "b1")
    return run(
      [eds.generator],
      Effect.gen(function* () {
        const clients = yield* Effect.forEach(["one", "two", "three"], (id) => sotw(id))
        for (const client of clients) client.ask(["b", "a"])
        const nonces = yield* Effect.forEach(clients, (client) => client.next)
        assert.strictEqual(new Set(nonces.map(({ nonce }) => nonce)).size, 1)
      })
    )
  })

  it.live(
    "forgets a thousand streams that came and went",
    () => {
      const eds = scripted(endpointTypeUrl, 1)
      eds.put("a", "a1")
      return run(
        [eds.generator],
        Effect.gen(function* () {
          const server = yield* XdsServer
          yield* Effect.forEach(
            Array.from({ length: 1000 }, (_, index) => `client-${index}`),
            (id) =>
              Effect.scoped(
                Effect.gen(function* () {
                  const client = yield* sotw(id)
                  client.ask(["a"])
                  yield* client.next
                })
              ),
            { concurrency: 50, discard: true }
          )
          yield* until(() => server.connections().length === 0)
        })
      )
    },
    20_000
  )
})

const emptyRequest: DiscoveryRequest = {
  versionInfo: "",
  resourceNames: [],
  resourceLocators: [],
  typeUrl: "",
  responseNonce: ""
}

const large = (round: number): Uint8Array => new Uint8Array(1_000_000 + round)

/** Waits for a condition that sockets bring about. */
const until = (condition: () => boolean): Effect.Effect<void> =>
  Effect.suspend(() =>
    condition() ? Effect.void : Effect.andThen(Effect.sleep("2 millis"), until(condition))
  )

/** One message that says it is compressed with `encoding`: the stream's status. */
const compressedCall = (port: number, encoding: string) =>
  Effect.callback<string>((resume) => {
    const session = connect(`http://127.0.0.1:${port}`)
    const request = session.request({
      ":method": "POST",
      ":path": "/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources",
      "content-type": "application/grpc",
      te: "trailers",
      "grpc-encoding": encoding
    })
    const status = (headers: IncomingHttpHeaders): void => {
      const code = headers["grpc-status"]
      if (code === undefined) return
      session.destroy()
      resume(Effect.succeed(String(code)))
    }
    request.on("response", status)
    request.on("trailers", status)
    request.on("error", () => {})
    session.on("error", () => {})
    request.write(Buffer.from([1, 0, 0, 0, 1, 0]))
  })
