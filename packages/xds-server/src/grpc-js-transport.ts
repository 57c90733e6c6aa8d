import { Effect } from "effect"
import { type TransportOptions, transportDefaults } from "./transport-options.ts"
import type { XdsTransport } from "./transport.ts"

/**
 * ADS, the standard health service and server reflection over @grpc/grpc-js, which is loaded when it listens.
 *
 * The other transport, `http2Transport`, takes half the CPU; this one reads gzip and deflate.
 */
export const grpcJsTransport = (options: Partial<TransportOptions> = {}): XdsTransport => ({
  listen: (address, accept, serving) =>
    Effect.flatMap(
      Effect.promise(() => import("./grpc-js-server.ts")),
      ({ listenWithGrpcJs }) =>
        listenWithGrpcJs({ ...transportDefaults, ...options }, address, accept, serving)
    )
})
