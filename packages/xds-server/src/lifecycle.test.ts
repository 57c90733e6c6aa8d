import * as grpc from "@grpc/grpc-js"
import { assert, describe, it } from "@effect/vitest"
import {
  AuthenticationError,
  type HealthReport,
  ProxyAuthenticator,
  type ProxyConnection,
  ProxyLifecycle,
  XdsGenerators
} from "@istiod-lite/model"
import {
  DeltaDiscoveryRequest,
  DiscoveryRequest,
  healthInformationTypeUrl,
  type Node
} from "@istiod-lite/xds-proto"
import { Deferred, Effect, Latch, Layer, Queue } from "effect"
import { X509Certificate } from "node:crypto"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { connect as connectTls } from "node:tls"
import { grpcJsTransport } from "./grpc-js-transport.ts"
import { certificates } from "./testing/certificates.ts"
import { XdsServer, type XdsServerOptions } from "./xds-server.ts"

const identity = (bytes: Buffer): Buffer => bytes
const node: Node = {
  id: "sidecar~192.0.2.7~vm-7.shop~shop.svc.cluster.local",
  cluster: "",
  dynamicParameters: {},
  userAgentName: "",
  extensions: [],
  clientFeatures: [],
  listeningAddresses: []
}

type Method = "StreamAggregatedResources" | "DeltaAggregatedResources"

/** A stream of one method that knows how to say who it is and how it is. */
const connect = (
  method: Method,
  {
    credentials = grpc.credentials.createInsecure(),
    port,
    token
  }: { readonly port: number; readonly credentials?: grpc.ChannelCredentials; readonly token?: string }
) =>
  Effect.gen(function* () {
    const client = yield* Effect.acquireRelease(
      Effect.sync(() => new grpc.Client(`127.0.0.1:${port}`, credentials)),
      (client) => Effect.sync(() => client.close())
    )
    const metadata = new grpc.Metadata()
    if (token !== undefined) metadata.set("authorization", `Bearer ${token}`)
    const path = `/envoy.service.discovery.v3.AggregatedDiscoveryService/${method}`
    const call = client.makeBidiStreamRequest(path, identity, identity, metadata)
    const status = yield* Deferred.make<grpc.StatusObject>()
    call.on("data", () => undefined)
    call.on("error", () => undefined)
    call.on("status", (end) => void Deferred.doneUnsafe(status, Effect.succeed(end)))
    const report = (error?: string): void => {
      const errorDetail = error === undefined ? undefined : { code: 3, message: error, details: [] }
      const common = { node, typeUrl: healthInformationTypeUrl, responseNonce: "", errorDetail }
      const bytes =
        method === "StreamAggregatedResources"
          ? DiscoveryRequest.encode({ ...common, versionInfo: "", resourceNames: [], resourceLocators: [] })
          : DeltaDiscoveryRequest.encode({
              ...common,
              resourceNamesSubscribe: [],
              resourceNamesUnsubscribe: [],
              resourceLocatorsSubscribe: [],
              resourceLocatorsUnsubscribe: [],
              initialResourceVersions: {}
            })
      call.write(Buffer.from(bytes.finish()))
    }
    return { report, cancel: () => call.cancel(), ended: Deferred.await(status) }
  })

type Told = readonly [event: string, connection: ProxyConnection, report?: HealthReport]

/** Notes all that is told of proxies; `connected` ends with what is given. */
const listening = (connected: Effect.Effect<void, AuthenticationError> = Effect.void) =>
  Effect.map(Queue.unbounded<Told>(), (told) => ({
    told,
    next: Queue.take(told),
    lifecycle: {
      connected: (connection: ProxyConnection) => {
        Queue.offerUnsafe(told, ["connected", connection])
        return connected
      },
      reported: (connection: ProxyConnection, report: HealthReport) => {
        Queue.offerUnsafe(told, ["reported", connection, report])
      },
      disconnected: (connection: ProxyConnection) => {
        Queue.offerUnsafe(told, ["disconnected", connection])
      }
    }
  }))

const served = (options: Partial<XdsServerOptions> = {}) =>
  XdsServer.layer({ port: 0, ...options }).pipe(Layer.provide(Layer.succeed(XdsGenerators, [])))

const port = Effect.map(XdsServer, ({ address }) => address.port)

describe("ProxyLifecycle", () => {
  it.live.each(["StreamAggregatedResources", "DeltaAggregatedResources"] as const)(
    "%s tells who comes, how it is, and that it went",
    (method) =>
      Effect.gen(function* () {
        const { lifecycle, next, told } = yield* listening()
        yield* Effect.gen(function* () {
          const client = yield* connect(method, { port: yield* port })
          client.report()
          const [came, connection] = yield* next
          assert.deepStrictEqual(
            [came, connection.proxy.name, connection.proxy.namespace],
            ["connected", "vm-7", "shop"]
          )
          assert.deepStrictEqual((yield* next)[2], { healthy: true, message: "" })
          client.report("disk full")
          assert.deepStrictEqual((yield* next)[2], { healthy: false, message: "disk full" })
          client.cancel()
          const [went, same] = yield* next
          assert.deepStrictEqual([went, same === connection], ["disconnected", true])
          assert.strictEqual(yield* Queue.size(told), 0)
        }).pipe(Effect.scoped, Effect.provide(served()), Effect.provideService(ProxyLifecycle, lifecycle))
      })
  )

  it.live("a refused stream ends with the reason, and its end is told", () =>
    Effect.gen(function* () {
      const refusal = new AuthenticationError({ peer: "p", node: "n", reason: "no such group" })
      const { lifecycle, next } = yield* listening(Effect.fail(refusal))
      yield* Effect.gen(function* () {
        const client = yield* connect("StreamAggregatedResources", { port: yield* port })
        client.report()
        const end = yield* client.ended
        assert.deepStrictEqual([end.code, end.details], [grpc.status.PERMISSION_DENIED, refusal.message])
        assert.strictEqual((yield* next)[0], "connected")
        assert.strictEqual((yield* next)[0], "disconnected")
      }).pipe(Effect.scoped, Effect.provide(served()), Effect.provideService(ProxyLifecycle, lifecycle))
    })
  )

  it.live("tells of a stream that went while it was being admitted, and not of its reports", () =>
    Effect.gen(function* () {
      const admitted = yield* Latch.make()
      const { lifecycle, next, told } = yield* listening(admitted.await)
      yield* Effect.gen(function* () {
        const client = yield* connect("StreamAggregatedResources", { port: yield* port })
        client.report("ill")
        assert.strictEqual((yield* next)[0], "connected")
        client.cancel()
        assert.strictEqual((yield* next)[0], "disconnected")
        yield* admitted.open
        assert.strictEqual(yield* Queue.size(told), 0)
      }).pipe(Effect.scoped, Effect.provide(served()), Effect.provideService(ProxyLifecycle, lifecycle))
    })
  )

  it.live("tells of streams that are drained before the server is gone", () =>
    Effect.gen(function* () {
      const { lifecycle, next } = yield* listening()
      yield* Effect.gen(function* () {
        const client = yield* connect("StreamAggregatedResources", { port: yield* port })
        client.report()
        yield* next
        yield* next
      }).pipe(Effect.provide(served()), Effect.provideService(ProxyLifecycle, lifecycle), Effect.scoped)
      assert.strictEqual((yield* next)[0], "disconnected")
    })
  )
})

const tlsFiles = (names: { readonly cert: string; readonly key: string }) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const folder = mkdtempSync(join(tmpdir(), "istiod-lite-tls-"))
      const write = (name: string, text: string): string => {
        writeFileSync(join(folder, name), text)
        return join(folder, name)
      }
      return {
        folder,
        write,
        files: {
          cert: write("tls.crt", names.cert),
          key: write("tls.key", names.key),
          clientCa: write("ca.crt", certificates.ca)
        }
      }
    }),
    ({ folder }) => Effect.sync(() => rmSync(folder, { recursive: true }))
  )

const trusted = Buffer.from(certificates.ca)
const withCertificate = ({ cert, key }: { readonly cert: string; readonly key: string }) =>
  grpc.credentials.createSsl(trusted, Buffer.from(key), Buffer.from(cert))

/** A server whose second port speaks TLS. */
const overTls = <A, E>(
  test: (port: number, next: Effect.Effect<Told>) => Effect.Effect<A, E, XdsServer>,
  authenticator?: Partial<typeof ProxyAuthenticator.Service>
) =>
  Effect.gen(function* () {
    const { files } = yield* tlsFiles(certificates.server)
    const { lifecycle, next } = yield* listening()
    const further = [{ address: { host: "127.0.0.1", port: 0 }, transport: grpcJsTransport({ tls: files }) }]
    return yield* Effect.gen(function* () {
      const { further } = yield* XdsServer
      return yield* test(further[0]?.port ?? 0, next)
    }).pipe(
      Effect.provide(served({ further })),
      Effect.provideService(ProxyLifecycle, lifecycle),
      authenticator === undefined
        ? (effect) => effect
        : Effect.provideService(ProxyAuthenticator, {
            authenticate: () => Effect.succeed([]),
            ...authenticator
          })
    )
  }).pipe(Effect.scoped)

const serialOf = ({ cert }: { readonly cert: string }): string => new X509Certificate(cert).serialNumber

describe("TLS", () => {
  it.live("a client's certificate proves who it is", () =>
    overTls((port, next) =>
      Effect.gen(function* () {
        const credentials = withCertificate(certificates.client)
        const client = yield* connect("StreamAggregatedResources", { port, credentials })
        client.report()
        const [, { identities }] = yield* next
        assert.deepStrictEqual(identities, ["spiffe://cluster.local/ns/shop/sa/billing-vm"])
      }).pipe(Effect.scoped)
    )
  )

  it.live("a client without certificate proves nothing, and may show a token", () =>
    overTls(
      (port, next) =>
        Effect.gen(function* () {
          const credentials = grpc.credentials.createSsl(trusted)
          const client = yield* connect("StreamAggregatedResources", { port, credentials, token: "abc.def" })
          client.report()
          const [, { identities, peer }] = yield* next
          assert.deepStrictEqual([identities, peer.identities, peer.bearerToken], [["token"], [], "abc.def"])
        }).pipe(Effect.scoped),
      { authenticate: ({ bearerToken }) => Effect.succeed(bearerToken === undefined ? [] : ["token"]) }
    )
  )

  it.live("a certificate of a foreign issuer proves nothing", () =>
    overTls((port, next) =>
      Effect.gen(function* () {
        const credentials = withCertificate(certificates.stranger)
        const client = yield* connect("StreamAggregatedResources", { port, credentials })
        client.report()
        assert.deepStrictEqual((yield* next)[1].identities, [])
      }).pipe(Effect.scoped)
    )
  )

  it.live("uses certificates that are put in the place of the old ones, and keeps the last good ones", () =>
    Effect.gen(function* () {
      const { files, write } = yield* tlsFiles(certificates.server)
      const transport = grpcJsTransport({ tls: files, filesRefresh: "10 millis" })
      yield* Effect.gen(function* () {
        const at = yield* port
        const shown = Effect.callback<string>((resume) => {
          const socket = connectTls({
            port: at,
            host: "127.0.0.1",
            ca: certificates.ca,
            ALPNProtocols: ["h2"]
          })
          socket.on("secureConnect", () => {
            resume(Effect.succeed(socket.getPeerX509Certificate()?.serialNumber ?? ""))
            socket.destroy()
          })
        })
        assert.strictEqual(yield* shown, serialOf(certificates.server))
        write("tls.crt", "broken")
        write("tls.key", certificates.server2.key)
        assert.strictEqual(yield* shown, serialOf(certificates.server))
        write("tls.crt", certificates.server2.cert)
        yield* Effect.repeat(shown, { until: (serial) => serial === serialOf(certificates.server2) })
      }).pipe(Effect.provide(served({ transport })))
    }).pipe(Effect.scoped)
  )

  it.live("does not start with files that cannot be used, and says which", () =>
    Effect.gen(function* () {
      const { files } = yield* tlsFiles({ cert: certificates.server.cert, key: certificates.server2.key })
      const transport = grpcJsTransport({ tls: files })
      const error = yield* Effect.flip(Effect.provide(port, served({ transport })))
      assert.match(String(error), /tls\.crt with .*tls\.key for TLS/)
    }).pipe(Effect.scoped)
  )
})
