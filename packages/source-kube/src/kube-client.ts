import type { Effect, Scope, Stream } from "effect"
import type { KubeError } from "./kube-error.ts"

/** One request to an API server. */
export interface KubeRequest {
  /** for error messages: `list pods` */
  readonly operation: string
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"
  /** such as `/api/v1/pods` */
  readonly path: string
  readonly query?: Readonly<Record<string, string>>
  /** sent as JSON */
  readonly body?: unknown
  /** of the body; default application/json */
  readonly contentType?: string
  /** default application/json */
  readonly accept?: string
}

/** An answer whose body comes piece by piece. */
export interface KubeAnswer {
  readonly contentType: string
  readonly body: Stream.Stream<Uint8Array, KubeError>
}

/** A connection pool to one API server, with credentials that are renewed when they have to be. */
export interface KubeClient {
  /** its URL, for people */
  readonly server: string
  /** The whole answer as JSON. Any status but 2xx is an error. */
  readonly json: (request: KubeRequest) => Effect.Effect<unknown, KubeError>
  /** The whole answer as bytes. */
  readonly bytes: (
    request: KubeRequest
  ) => Effect.Effect<{ readonly contentType: string; readonly body: Uint8Array }, KubeError>
  /** The answer as it comes; it is aborted when the scope closes. */
  readonly stream: (request: KubeRequest) => Effect.Effect<KubeAnswer, KubeError, Scope.Scope>
}
