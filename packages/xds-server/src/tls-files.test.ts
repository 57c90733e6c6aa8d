import * as grpc from "@grpc/grpc-js"
import { assert, describe, it } from "@effect/vitest"
import { ProxyAuthenticator, ProxyLifecycle } from "@istiod-lite/model"
import { Effect, Fiber, References } from "effect"
import { X509Certificate } from "node:crypto"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { connect as connectTls } from "node:tls"
import { certificates } from "./testing/certificates.ts"
import { connect, listening, port, served, type Told } from "./testing/proxy-client.ts"
import { transports } from "./testing/transports.ts"
import { XdsServer } from "./xds-server.ts"

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

type MakeTransport = (typeof transports)[number][1]

/** A server whose second port speaks TLS. */
const servedOverTls =
  (makeTransport: MakeTransport) =>
  <A, E>(
    test: (port: number, next: Effect.Effect<Told>) => Effect.Effect<A, E, XdsServer>,
    authenticator?: Partial<typeof ProxyAuthenticator.Service>
  ) =>
    Effect.gen(function* () {
      const { files } = yield* tlsFiles(certificates.server)
      const { lifecycle, next } = yield* listening()
      const further = [{ address: { host: "127.0.0.1", port: 0 }, transport: makeTransport({ tls: files }) }]
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

describe.each(transports)("TLS over %s", (_, makeTransport) => {
  const overTls = servedOverTls(makeTransport)

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
      const transport = makeTransport({ tls: files, filesRefresh: "10 millis" })
      yield* Effect.gen(function* () {
        const at = yield* port
        const shown = Effect.callback<string>((resume) => {
          const socket = connectTls({
            port: at,
            host: "127.0.0.1",
            servername: "localhost",
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
      const transport = makeTransport({ tls: files })
      const error = yield* Effect.flip(Effect.provide(port, served({ transport })))
      assert.match(String(error), /Cannot listen .*tls\.crt with .*tls\.key for TLS: .* PEM files/)
      rmSync(files.cert)
      const missing = yield* Effect.flip(Effect.provide(port, served({ transport })))
      assert.match(String(missing), /tls\.crt for TLS: there is no such file\. It takes PEM files/)
    }).pipe(Effect.scoped)
  )

  it.live("clients that connect while certificates are replaced all get one of them", () =>
    Effect.gen(function* () {
      const { files, write } = yield* tlsFiles(certificates.server)
      const transport = makeTransport({ tls: files, filesRefresh: "1 millis" })
      const { lifecycle, next } = yield* listening()
      yield* Effect.gen(function* () {
        const to = yield* port
        const replaced = yield* Effect.forkChild(
          Effect.forever(
            Effect.gen(function* () {
              for (const { cert, key } of [certificates.server2, certificates.server]) {
                // Between the two the files do not fit together.
                write("tls.crt", cert)
                yield* Effect.yieldNow
                write("tls.key", key)
                yield* Effect.sleep("3 millis")
              }
            })
          )
        )
        yield* Effect.forEach(
          Array.from({ length: 200 }),
          () =>
            Effect.gen(function* () {
              const credentials = withCertificate(certificates.client)
              const client = yield* connect("StreamAggregatedResources", { port: to, credentials })
              client.report()
              const [, connection] = yield* next
              assert.lengthOf(connection.identities, 1)
            }).pipe(Effect.scoped),
          { concurrency: 10 }
        )
        yield* Fiber.interrupt(replaced)
      }).pipe(Effect.provide(served({ transport })), Effect.provideService(ProxyLifecycle, lifecycle))
    }).pipe(Effect.provideService(References.MinimumLogLevel, "None"), Effect.scoped)
  )
})
