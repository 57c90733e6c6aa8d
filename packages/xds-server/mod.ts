/**
 * The aggregated discovery service: state-of-the-world and delta xDS over gRPC.
 *
 * Event flow: the transport hands messages to an `AdsStream`, whose `TypeSession`s (pure protocol state) note what the
 * stream is owed. Push requests pass the push queue, which merges and paces them, and mark what they may have changed.
 * A stream that can be written to looks up what it is owed, generates it and sends one response; equal responses of
 * several streams are one buffer.
 *
 * Concurrency: everything between transport and generators is synchronous on one event loop. One response is in
 * flight per stream; one push request waits at most; a slow client is owed names, not bytes.
 */
export type { Acknowledgement, Refusal, SentResponse } from "./src/acknowledgement.ts"
export type { Admission, Candidate } from "./src/ads-context.ts"
export { admitAll, Ads, type AdsOptions } from "./src/ads.ts"
export type { ConnectionInfo, SubscriptionInfo } from "./src/connection-info.ts"
export { BindError, TlsFileError } from "./src/errors.ts"
export { grpcJsTransport } from "./src/grpc-js-transport.ts"
export { http2Transport } from "./src/http2-transport.ts"
export { metrics as xdsMetrics } from "./src/metrics.ts"
export { type AdsObserver, silentObserver, type StreamName } from "./src/observer.ts"
export { adaptivePacing, istioPacing, type PushPacing } from "./src/push-queue.ts"
export type { XdsProtocol } from "./src/response-encoding.ts"
export { Serving } from "./src/serving.ts"
export { SharedMessage } from "./src/shared-message.ts"
export type { TlsFiles } from "./src/tls-files.ts"
export type { TransportOptions } from "./src/transport-options.ts"
export {
  type ListenAddress,
  StreamCode,
  type StreamStatus,
  type XdsConnection,
  type XdsStreamHandler,
  type XdsTransport
} from "./src/transport.ts"
export { XdsServer, xdsServerDefaults, type XdsServerOptions } from "./src/xds-server.ts"
