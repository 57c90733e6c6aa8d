import { grpcJsTransport, http2Transport } from "@istiod-lite/xds-server"

/** What can speak gRPC, by the name that `--xds-transport` takes. Both are small: grpc-js is loaded when it listens. */
export const transports = { http2: http2Transport, "grpc-js": grpcJsTransport } as const

export type TransportName = keyof typeof transports
