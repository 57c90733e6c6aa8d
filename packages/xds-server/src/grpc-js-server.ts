import * as grpc from "@grpc/grpc-js"
import type { Peer } from "@istiod-lite/model"
import { Duration, Effect } from "effect"
import { BindError } from "./errors.ts"
import type { GrpcMethod } from "./grpc-call.ts"
import { grpcMethods } from "./grpc-methods.ts"
import { maxRequestLength } from "./message-reader.ts"
import { peerOf } from "./peer.ts"
import { clientsOf, type TlsFiles, type TlsMaterial, usingTlsFiles } from "./tls-files.ts"
import { maxConcurrentStreams, type TransportOptions } from "./transport-options.ts"
import { type ListenAddress, StreamCode, type StreamStatus, type XdsTransport } from "./transport.ts"

type Call = grpc.ServerDuplexStream<Buffer, Buffer>

/** Messages go through as bytes. To the wire, a method that streams nothing is one that streams one message. */
const bytes = (message: Buffer): Buffer => message
const definitionOf = (path: string): grpc.MethodDefinition<Buffer, Buffer> => ({
  path,
  requestStream: true,
  responseStream: true,
  requestSerialize: bytes,
  requestDeserialize: bytes,
  responseSerialize: bytes,
  responseDeserialize: bytes
})

const serverOptions = (options: TransportOptions): grpc.ServerOptions => ({
  "grpc.max_concurrent_streams": maxConcurrentStreams,
  "grpc.max_send_message_length": -1,
  "grpc.max_receive_message_length": maxRequestLength,
  "grpc.keepalive_time_ms": Duration.toMillis(options.keepaliveTime),
  "grpc.keepalive_timeout_ms": Duration.toMillis(options.keepaliveTimeout),
  "grpc.keepalive_permit_without_calls": 1,
  ...(Number.isFinite(Duration.toMillis(options.maxConnectionAge)) && {
    "grpc.max_connection_age_ms": Duration.toMillis(options.maxConnectionAge),
    "grpc.max_connection_age_grace_ms": Duration.toMillis(options.maxConnectionAgeGrace)
  })
})

const peerOfCall = (call: Call): Peer => {
  const [authorization] = call.metadata.get("authorization")
  return peerOf({
    address: call.getPeer(),
    alternativeNames: call.getAuthContext().sslPeerCertificate?.subjectaltname,
    authorization: typeof authorization === "string" ? authorization : undefined
  })
}

/** Hands one call to its method. */
const take = (call: Call, method: GrpcMethod): void => {
  let open = true
  const close = ({ code, details }: StreamStatus): void => {
    if (!open) return
    end()
    if (code === StreamCode.ok) call.end()
    // An error with a code becomes the call's status.
    else call.emit("error", Object.assign(new Error(details), { code, details }))
  }
  const end = (): void => {
    if (!open) return
    open = false
    handler.onClose()
  }
  const handler = method({
    peer: peerOfCall(call),
    send: (message, done) => {
      if (!open) return
      call.write(message.bytes, (error?: Error | null) => {
        if (open && !error) done()
      })
    },
    pause: () => void call.pause(),
    resume: () => void call.resume(),
    close
  })
  call.on("data", (message: Buffer) => {
    if (open) handler.onMessage(message)
  })
  call.on("end", () => {
    if (open) handler.onEnd()
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

class ReplaceableCredentials extends grpc.ServerCredentials {
  constructor(material: TlsMaterial) {
    super(clientsOf(material), material)
  }

  replace(material: TlsMaterial): void {
    this.updateSecureContextOptions(material)
  }

  override _equals(other: grpc.ServerCredentials): boolean {
    return this === other
  }
}

const tlsCredentials = (files: TlsFiles, refresh: Duration.Input, { host, port }: ListenAddress) =>
  usingTlsFiles(
    files,
    refresh,
    (material) => new ReplaceableCredentials(material),
    (credentials, material) => credentials.replace(material)
  ).pipe(Effect.mapError((cause) => new BindError({ address: `${host}:${port}`, cause })))

/** What `grpcJsTransport` does when it listens. */
export const listenWithGrpcJs = Effect.fnUntraced(function* (
  options: TransportOptions,
  ...[address, accept, serving]: Parameters<XdsTransport["listen"]>
) {
  // What grpc-js prints by itself is told by BindError and the log already.
  if (process.env.GRPC_VERBOSITY === undefined) grpc.setLogVerbosity(grpc.logVerbosity.NONE)
  const { drainTimeout, filesRefresh, tls } = options
  const server = new grpc.Server(serverOptions(options))
  const insecure = grpc.ServerCredentials.createInsecure()
  const credentials = tls === undefined ? insecure : yield* tlsCredentials(tls, filesRefresh, address)
  for (const [path, method] of grpcMethods(accept, serving)) {
    server.addService({ [path]: definitionOf(path) }, { [path]: (call: Call) => take(call, method) })
  }
  const bound = yield* bind(server, address, credentials)
  yield* Effect.addFinalizer(() => shutdown(server, drainTimeout))
  return bound
})
