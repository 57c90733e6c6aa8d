import type { Duration, Option } from "effect"
import type { SourceOptions } from "../compose/source-options.ts"
import type { PacingName } from "./pacing.ts"
import type { TransportName } from "./transports.ts"

/** The flags of `serve`. */
export interface ServeOptions extends SourceOptions {
  readonly xdsPort: number
  /** what speaks gRPC on the ports for proxies */
  readonly xdsTransport: TransportName
  readonly adminPort: number
  readonly listen: string
  readonly config: Option.Option<string>
  /** file to which the inputs are recorded */
  readonly record: Option.Option<string>
  /** how often what proxies have is audited; zero: never */
  readonly auditInterval: Duration.Duration
  /** when changes are pushed */
  readonly pacing: PacingName
  /** after how long the log warns of a proxy that has not acknowledged a change */
  readonly behindAlarm: Duration.Duration
  /** how many endpoints an assignment has that clients that ask for it get endpoint by endpoint; zero: none has */
  readonly ledsThreshold: number
  /** how long a machine may be away before its entry goes */
  readonly gracePeriod: Duration.Duration
  readonly tlsPort: number
  readonly tlsCert: Option.Option<string>
  readonly tlsKey: Option.Option<string>
  readonly tlsClientCa: Option.Option<string>
}
