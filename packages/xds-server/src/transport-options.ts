import type { Duration } from "effect"
import type { TlsFiles } from "./tls-files.ts"

/** Options of a transport, whichever it is. */
export interface TransportOptions {
  /** How long open streams may take to end on shutdown. */
  readonly drainTimeout: Duration.Input
  /** After what time of silence a client is pinged, so that peers that vanished without a word are found. */
  readonly keepaliveTime: Duration.Input
  /** How long a client may take to answer a ping before its streams end. */
  readonly keepaliveTimeout: Duration.Input
  /** How old a connection becomes, 10 % more or less by chance; then the client connects anew, perhaps elsewhere. */
  readonly maxConnectionAge: Duration.Input
  /** How long the streams of a connection that is old enough may go on. */
  readonly maxConnectionAgeGrace: Duration.Input
  /** by default plaintext, for loopback and for meshes that encrypt elsewhere */
  readonly tls: TlsFiles | undefined
  /** how often the files of TLS are looked at */
  readonly filesRefresh: Duration.Input
}

/** What Istio does: its server's keepalive, and the connection age of its Helm chart. */
export const transportDefaults: TransportOptions = {
  drainTimeout: "3 seconds",
  keepaliveTime: "30 seconds",
  keepaliveTimeout: "10 seconds",
  maxConnectionAge: "30 minutes",
  maxConnectionAgeGrace: "10 seconds",
  tls: undefined,
  filesRefresh: "5 seconds"
}

/** As many streams as Istio allows on one connection. */
export const maxConcurrentStreams = 100_000
