import * as grpc from "@grpc/grpc-js"
import type { Peer } from "@istiod-lite/model"
import { Duration, Effect } from "effect"
import { BindError } from "./errors.ts"
import { addGrpcHealth, healthServiceName } from "./grpc-health.ts"
import { addGrpcReflection } from "./grpc-reflection.ts"
import type { XdsProtocol } from "./response-encoding.ts"
import { makeTlsCredentials, type TlsFiles } from "./tls-files.ts"
import type { ListenAddress, XdsConnection, XdsStreamHandler, XdsTransport } from "./transport.ts"

/** Options of the grpc-js transport. */
export interface GrpcJsTransportOptions {
  /** How long open streams may take to end on shutdown. */
  readonly drainTimeout: Duration.Input
  /** How often clients are pinged, so that peers that vanished without a word are found. */
  readonly keepaliveTime: Duration.Input
  /** How long a client may take to answer a ping before its streams end. */
  readonly keepaliveTimeout: Duration.Input
  /** by default plaintext, for loopback and for meshes that encrypt elsewhere */
  readonly tls: TlsFiles | undefined
  /** how often the files of TLS are looked at */
  readonly filesRefresh: Duration.Input
}

export const grpcJsTransportDefaults: GrpcJsTransportOptions = {
  drainTimeout: "3 seconds",
  // Istio's server does the same.
  keepaliveTime: "30 seconds",
  keepaliveTimeout: "10 seconds",
  tls: undefined,
  filesRefresh: "5 seconds"
}

type Call = grpc.ServerDuplexStream<Buffer, Buffer>
type Accept = (connection: XdsConnection) => XdsStreamHandler

const adsService = "envoy.service.discovery.v3.AggregatedDiscoveryService"

/** Messages go through as bytes: a response is encoded once and the same bytes are handed to every stream. */
const bytes = (message: Buffer): Buffer => message
const method = (name: string): grpc.MethodDefinition<Buffer, Buffer> => ({
  path: `/${adsService}/${name}`,
  requestStream: true,
  responseStream: true,
  requestSerialize: bytes,
  requestDeserialize: bytes,
  responseSerialize: bytes,
  responseDeserialize: bytes
})
const ads = {
  StreamAggregatedResources: method("StreamAggregatedResources"),
  DeltaAggregatedResources: method("DeltaAggregatedResources")
}

const serverOptions = ({
  keepaliveTime,
  keepaliveTimeout
}: Pick<GrpcJsTransportOptions, "keepaliveTime" | "keepaliveTimeout">): grpc.ServerOptions => ({
  "grpc.max_concurrent_streams": 100_000,
  "grpc.max_send_message_length": -1,
  "grpc.max_receive_message_length": 4 * 1024 * 1024,
  "grpc.keepalive_time_ms": Duration.toMillis(keepaliveTime),
  "grpc.keepalive_timeout_ms": Duration.toMillis(keepaliveTimeout),
  "grpc.keepalive_permit_without_calls": 1
})

/**
 * Who calls: by a certificate that TLS verified, or by a token that someone else has to verify. A certificate of an
 * issuer that is not trusted proves nothing, like none.
 */
const peerOf = (call: Call): Peer => {
  const names = call.getAuthContext().sslPeerCertificate?.subjectaltname?.split(", ") ?? []
  return {
    address: call.getPeer(),
    identities: names.flatMap((name) => (name.startsWith("URI:") ? [name.slice("URI:".length)] : [])),
    bearerToken: bearerTokenOf(call.metadata)
  }
}

const bearerTokenOf = (metadata: grpc.Metadata): string | undefined => {
  const [header] = metadata.get("authorization")
  return typeof header === "string" && /^bearer /i.test(header)
    ? header.slice("bearer ".length).trim()
    : undefined
}

/** Hands one call to the server as an XdsConnection. */
const connect = (call: Call, protocol: XdsProtocol, accept: Accept): void => {
  let open = true
  const handler = accept({
    peer: peerOf(call),
    protocol,
    send: (message, done) => {
      const view = Buffer.from(message.buffer, message.byteOffset, message.byteLength)
      call.write(view, (error?: Error | null) => {
        if (open && !error) done()
      })
    },
    // An error with a code becomes the stream's status.
    close: ({ code, details }) => {
      if (open) call.emit("error", Object.assign(new Error(details), { code, details }))
    }
  })
  const end = (): void => {
    if (!open) return
    open = false
    handler.onClose()
  }
  call.on("data", (message: Buffer) => {
    if (open) handler.onMessage(message)
  })
  call.on("end", () => {
    end()
    call.end()
  })
  // `error` is also how `close` ends the call; without a listener it would end the process.
  call.on("error", end)
  call.on("cancelled", end)
  call.on("close", end)
}

const bind = (server: grpc.Server, { host, port }: ListenAddress, credentials: grpc.ServerCredentials) => {
  const address = host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`
  return Effect.callback<ListenAddress, BindError>((resume) => {
    server.bindAsync(address, credentials, (cause, bound) => {
      resume(
        cause === null
          ? Effect.succeed({ host, port: bound })
          : Effect.fail(new BindError({ address, cause }))
      )
    })
  })
}

/** Ends what is left when the streams were told to go: waits for them, then cuts them. */
const shutdown = (server: grpc.Server, drainTimeout: Duration.Input): Effect.Effect<void> =>
  Effect.callback<void>((resume) => server.tryShutdown(() => resume(Effect.void))).pipe(
    Effect.timeoutOrElse({ duration: drainTimeout, orElse: () => Effect.sync(() => server.forceShutdown()) })
  )

const tlsCredentials = (files: TlsFiles, refresh: Duration.Input, { host, port }: ListenAddress) =>
  Effect.mapError(
    makeTlsCredentials(files, refresh),
    (cause) => new BindError({ address: `${host}:${port}`, cause })
  )

/** ADS, the standard health service and server reflection over @grpc/grpc-js. */
export const grpcJsTransport = (options: Partial<GrpcJsTransportOptions> = {}): XdsTransport => {
  const { drainTimeout, filesRefresh, tls, ...keepalive } = { ...grpcJsTransportDefaults, ...options }
  return {
    listen: Effect.fnUntraced(function* (address, accept, serving) {
      // What grpc-js prints by itself is told by BindError and the log already.
      if (process.env.GRPC_VERBOSITY === undefined) grpc.setLogVerbosity(grpc.logVerbosity.NONE)
      const server = new grpc.Server(serverOptions(keepalive))
      const insecure = grpc.ServerCredentials.createInsecure()
      const credentials = tls === undefined ? insecure : yield* tlsCredentials(tls, filesRefresh, address)
      server.addService(ads, {
        StreamAggregatedResources: (call: Call) => connect(call, "sotw", accept),
        DeltaAggregatedResources: (call: Call) => connect(call, "delta", accept)
      })
      addGrpcHealth(server, [adsService], serving)
      addGrpcReflection(server, [adsService, healthServiceName])
      const bound = yield* bind(server, address, credentials)
      yield* Effect.addFinalizer(() => shutdown(server, drainTimeout))
      return bound
    })
  }
}
