import { grpcJsTransport } from "../grpc-js-transport.ts"
import { http2Transport } from "../http2-transport.ts"

/** All there are: what holds for one holds for the other. */
export const transports = [
  ["http2", http2Transport],
  ["grpc-js", grpcJsTransport]
] as const
