import { Clock, Duration, Effect } from "effect"
import * as http2 from "node:http2"
import type { Socket } from "node:net"
import { elapsedOf } from "./elapsed.ts"
import { BindError } from "./errors.ts"
import { draining, type GrpcMethods } from "./grpc-call.ts"
import { grpcMethods } from "./grpc-methods.ts"
import { Http2Connection } from "./http2-connection.ts"
import { clientsOf, usingTlsFiles } from "./tls-files.ts"
import { maxConcurrentStreams, transportDefaults, type TransportOptions } from "./transport-options.ts"
import type { ListenAddress, XdsTransport } from "./transport.ts"
import type { UpkeepLimits } from "./upkeep.ts"

const serverOptions: http2.ServerOptions = {
  // In MB, of one connection. Node's 10 would refuse streams of a client that has many and reads slowly.
  maxSessionMemory: 1024,
  settings: {
    maxConcurrentStreams,
    // Requests of thousands of names need not wait for window updates.
    initialWindowSize: 256 * 1024,
    maxHeaderListSize: 64 * 1024
  }
}

/** Clients that connect at the same time and have to wait for it; the system may allow less. */
const backlog = 4096

/** Who connects and does not begin to speak TLS is cut, in milliseconds. */
const handshakeTimeout = 10_000

/** How often connections are looked after; what they are allowed is told in tens of seconds. */
const tick = Duration.seconds(1)

/**
 * ADS, the standard health service and server reflection over Node's own HTTP/2: what gRPC adds to HTTP/2 is done here, so
 * that no message is copied, encoded or queued for each stream.
 *
 * Requests may not be compressed. Source: gRPC over HTTP/2 (grpc/doc/PROTOCOL-HTTP2.md).
 */
export const http2Transport = (options: Partial<TransportOptions> = {}): XdsTransport => {
  const all = { ...transportDefaults, ...options }
  return {
    listen: Effect.fnUntraced(function* (address, accept, serving) {
      const server = yield* makeServer(all, address)
      const clock = yield* Clock.Clock
      const clients = new Clients(server, grpcMethods(accept, serving), all, () => elapsedOf(clock))
      const bound = yield* bind(server, address)
      yield* Effect.addFinalizer(() => shutdown(server, clients, all.drainTimeout))
      yield* Effect.forkScoped(
        Effect.forever(
          Effect.andThen(
            Effect.sleep(tick),
            Effect.sync(() => clients.tick())
          )
        )
      )
      return bound
    })
  }
}

/** The connections of a server. */
class Clients {
  private readonly connections = new Set<Http2Connection>()
  /** also those that do not speak HTTP/2 yet */
  private readonly sockets = new Set<Socket>()
  private readonly now: () => number

  constructor(
    server: http2.Http2Server | http2.Http2SecureServer,
    methods: GrpcMethods,
    options: TransportOptions,
    now: () => number
  ) {
    this.now = now
    const limits = limitsOf(options)
    const takeSocket = (socket: Socket): void => {
      this.sockets.add(socket)
      socket.once("close", () => this.sockets.delete(socket))
    }
    const takeSession = (session: http2.ServerHttp2Session): void => {
      const connection = new Http2Connection(session, methods, spread(limits), now())
      this.connections.add(connection)
      session.once("close", () => this.connections.delete(connection))
    }
    server.on("connection", takeSocket)
    server.on("session", takeSession)
  }

  tick(): void {
    const now = this.now()
    for (const connection of this.connections) connection.tick(now)
  }

  /** Tells all to go; what was sent before goes out first. */
  drain(): void {
    for (const connection of this.connections) {
      connection.leave()
      connection.endCalls(draining)
    }
  }

  cut(): void {
    for (const connection of this.connections) connection.cut()
    for (const socket of this.sockets) socket.destroy()
  }
}

const limitsOf = (options: TransportOptions): UpkeepLimits => ({
  keepaliveTime: Duration.toMillis(options.keepaliveTime),
  keepaliveTimeout: Duration.toMillis(options.keepaliveTimeout),
  maxAge: Duration.toMillis(options.maxConnectionAge),
  maxAgeGrace: Duration.toMillis(options.maxConnectionAgeGrace)
})

/** Clients that connected together should not come back together: age differs by 10 %, as with grpc-go. */
const spread = (limits: UpkeepLimits): UpkeepLimits => ({
  ...limits,
  maxAge: limits.maxAge * (0.9 + 0.2 * Math.random())
})

const makeServer = ({ filesRefresh, tls }: TransportOptions, { host, port }: ListenAddress) =>
  tls === undefined
    ? Effect.sync(() => http2.createServer(serverOptions))
    : usingTlsFiles(
        tls,
        filesRefresh,
        (material) =>
          http2.createSecureServer({
            ...serverOptions,
            ...material,
            ...clientsOf(material),
            handshakeTimeout
          }),
        (server, material) => server.setSecureContext(material)
      ).pipe(Effect.mapError((cause) => new BindError({ address: `${host}:${port}`, cause })))

const bind = (server: http2.Http2Server | http2.Http2SecureServer, { host, port }: ListenAddress) =>
  Effect.callback<ListenAddress, BindError>((resume) => {
    server.once("error", (cause: Error) => {
      resume(Effect.fail(new BindError({ address: `${host}:${port}`, cause })))
    })
    server.listen({ host, port, backlog }, () => {
      const bound = server.address()
      resume(Effect.succeed({ host, port: typeof bound === "object" && bound !== null ? bound.port : port }))
    })
  })

/** Ends what is left when the streams were told to go: waits for them, then cuts them. */
const shutdown = (
  server: http2.Http2Server | http2.Http2SecureServer,
  clients: Clients,
  drainTimeout: Duration.Input
): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    server.close(() => resume(Effect.void))
    clients.drain()
  }).pipe(Effect.timeoutOrElse({ duration: drainTimeout, orElse: () => Effect.sync(() => clients.cut()) }))
