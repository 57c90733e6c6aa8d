/**
 * What `xdsload run` prints, as a benchmark needs it: the figures, and every sign that not all was served. A run with such
 * a sign is no measurement.
 */
import { Schema } from "effect"

const Distribution = Schema.Struct({ p50: Schema.Number, p99: Schema.Number, max: Schema.Number })

/** The parts of the client's report that are read; times in ms, CPU in s, memory in MiB. */
const ClientReport = Schema.Struct({
  connect: Schema.Struct({
    missing: Schema.Number,
    full_snapshot_ms: Schema.NullOr(Distribution),
    bytes: Schema.Number,
    server_cpu_s: Schema.Number
  }),
  mutate: Schema.optional(
    Schema.Struct({
      changes: Schema.Number,
      errors: Schema.NullOr(Schema.Array(Schema.String)),
      stale_at_end: Schema.Number,
      unseen: Schema.Number,
      latency_from_request_ms: Schema.NullOr(Distribution),
      latency_from_response_ms: Schema.NullOr(Distribution),
      last_stream_ms: Schema.NullOr(Distribution),
      eds_responses: Schema.Number,
      bytes: Schema.Number,
      server_cpu_s: Schema.Number,
      client_cpu_s: Schema.Number
    })
  ),
  wrong_endpoint_counts: Schema.optional(Schema.Number),
  stream_errors: Schema.Number,
  stream_errors_sample: Schema.NullOr(Schema.Array(Schema.String)),
  server: Schema.Struct({ peak_rss_mib: Schema.Number })
})
type ClientReport = typeof ClientReport.Type

/** Names of figures with their units; all are better when lower. */
export const figureUnits = {
  "latency from request, p50": "ms",
  "latency from request, p99": "ms",
  "latency from answer, p50": "ms",
  "latency from answer, p99": "ms",
  "last stream, p50": "ms",
  "last stream, max": "ms",
  "server CPU per change": "ms",
  "client CPU per change": "ms",
  responses: "",
  "bytes pushed": "MB",
  "all streams complete": "ms",
  "CPU to connect": "s",
  "bytes to connect": "MB",
  "peak memory": "MiB"
} as const

export type FigureName = keyof typeof figureUnits

/** One run of the client. */
export interface ClientRun {
  readonly figures: Partial<Readonly<Record<FigureName, number>>>
  /** why the figures are not to be used; empty when all was served */
  readonly failures: ReadonlyArray<string>
}

const decode = Schema.decodeUnknownSync(Schema.fromJsonString(ClientReport))

const counted = (count: number, what: string): ReadonlyArray<string> =>
  count === 0 ? [] : [`${count} ${what}`]

const failuresOf = (report: ClientReport): ReadonlyArray<string> => {
  const { connect, mutate, stream_errors, stream_errors_sample, wrong_endpoint_counts = 0 } = report
  return [
    ...counted(connect.missing, "streams without a complete snapshot"),
    ...counted(wrong_endpoint_counts, "clusters with a wrong number of endpoints"),
    ...counted(stream_errors, `stream errors (${stream_errors_sample?.[0] ?? ""})`),
    ...counted(mutate?.stale_at_end ?? 0, "clusters stale at the end"),
    ...counted(mutate?.unseen ?? 0, "changes never seen"),
    ...counted(
      mutate?.errors?.length ?? 0,
      `changes refused by the API server (${mutate?.errors?.[0] ?? ""})`
    )
  ]
}

const figuresOf = ({ connect, mutate, server }: ClientReport): ClientRun["figures"] => ({
  ...(mutate?.latency_from_request_ms && {
    "latency from request, p50": mutate.latency_from_request_ms.p50,
    "latency from request, p99": mutate.latency_from_request_ms.p99
  }),
  ...(mutate?.latency_from_response_ms && {
    "latency from answer, p50": mutate.latency_from_response_ms.p50,
    "latency from answer, p99": mutate.latency_from_response_ms.p99
  }),
  ...(mutate?.last_stream_ms && {
    "last stream, p50": mutate.last_stream_ms.p50,
    "last stream, max": mutate.last_stream_ms.max
  }),
  ...(mutate && {
    "server CPU per change": (mutate.server_cpu_s * 1000) / mutate.changes,
    "client CPU per change": (mutate.client_cpu_s * 1000) / mutate.changes,
    responses: mutate.eds_responses,
    "bytes pushed": mutate.bytes / 1e6
  }),
  ...(connect.full_snapshot_ms && { "all streams complete": connect.full_snapshot_ms.max }),
  "CPU to connect": connect.server_cpu_s,
  "bytes to connect": connect.bytes / 1e6,
  "peak memory": server.peak_rss_mib
})

/** Reads a run from its exit code and output. Never fails: what cannot be read is a failed run. */
export const readClientRun = (code: number | null, output: string): ClientRun => {
  const text = output.slice(Math.max(0, output.indexOf("{")))
  try {
    const report = decode(text)
    const failures = failuresOf(report)
    const unexplained = code === 0 || failures.length > 0 ? [] : [`the client ended with ${code}`]
    return { figures: figuresOf(report), failures: [...failures, ...unexplained] }
  } catch {
    return { figures: {}, failures: [`the client ended with ${code}: ${output.trim().slice(-300)}`] }
  }
}
