import { type Context, Metric } from "effect"
import {
  clusterTypeUrl,
  endpointTypeUrl,
  lbEndpointTypeUrl,
  listenerTypeUrl,
  nameTableTypeUrl,
  routeTypeUrl
} from "@istiod-lite/xds-proto"
import type { AdsObserver } from "./observer.ts"

/** Istio's buckets for times, in seconds, with finer ones below: most of our pushes take milliseconds. */
const seconds = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 3, 5, 10, 20, 30]

/** The metrics of the server, under Istio's names where Istio has them, so that its dashboards fit. */
export const metrics = {
  streams: Metric.gauge("pilot_xds", { description: "Streams that are open now" }),
  pushes: Metric.counter("pilot_xds_pushes", {
    description: "Responses sent, by resource type",
    incremental: true
  }),
  rejects: Metric.counter("pilot_total_xds_rejects", {
    description: "Responses that clients refused (NACK), by resource type",
    incremental: true
  }),
  expiredNonces: Metric.counter("pilot_xds_expired_nonce", {
    description: "Requests that answer a response that has been replaced, by resource type",
    incremental: true
  }),
  triggers: Metric.counter("pilot_push_triggers", {
    description: "Causes of pushes, by reason",
    incremental: true
  }),
  convergence: Metric.histogram("pilot_proxy_convergence_time", {
    description: "Seconds from the first observed change to a stream having been sent all that it changed",
    boundaries: seconds
  }),
  acknowledgement: Metric.histogram("xds_acknowledgement_time", {
    description: "Seconds from the first observed change to its acknowledgement by a client",
    boundaries: seconds
  }),
  behind: Metric.gauge("xds_proxies_behind", {
    description: "Clients that have not acknowledged a change for longer than the threshold of the alarm"
  }),
  oldestChange: Metric.gauge("xds_oldest_change_age", {
    description: "Seconds since the oldest change was observed that some client has not acknowledged"
  }),
  sizes: Metric.histogram("pilot_xds_config_size_bytes", {
    description: "Sizes of responses, by resource type",
    boundaries: [1, 10_000, 1_000_000, 4_000_000, 10_000_000, 40_000_000]
  }),
  unknownTypes: Metric.counter("xds_unknown_type_requests", {
    description: "Resource types asked for that are not served, once per stream and type",
    incremental: true
  }),
  rejectedStreams: Metric.counter("xds_rejected_streams", {
    description: "Streams ended because of what the client sent, by status code",
    incremental: true
  }),
  generatorFailures: Metric.counter("xds_generator_failures", {
    description: "Resources that could not be generated, by resource type",
    incremental: true
  })
}

/** Istio's short names of types. Only served types get here, so the label has few values. */
const shortNames: ReadonlyMap<string, string> = new Map([
  [clusterTypeUrl, "cds"],
  [endpointTypeUrl, "eds"],
  [lbEndpointTypeUrl, "leds"],
  [listenerTypeUrl, "lds"],
  [routeTypeUrl, "rds"],
  [nameTableTypeUrl, "nds"]
])

const typeOf = (typeUrl: string): string => shortNames.get(typeUrl) ?? typeUrl

/** A metric for each value of one label, made once: making one costs more than an update. */
const byLabel = <Input, State>(metric: Metric.Metric<Input, State>, label: string) => {
  const made = new Map<string, Metric.Metric<Input, State>>()
  return (value: string): Metric.Metric<Input, State> => {
    const known = made.get(value)
    if (known !== undefined) return known
    const labelled = Metric.withAttributes(metric, { [label]: value })
    made.set(value, labelled)
    return labelled
  }
}

/** An observer that counts into the metrics of `context`. */
export const metricsObserver = (context: Context.Context<never>): AdsObserver => {
  const pushes = byLabel(metrics.pushes, "type")
  const rejects = byLabel(metrics.rejects, "type")
  const expiredNonces = byLabel(metrics.expiredNonces, "type")
  const sizes = byLabel(metrics.sizes, "type")
  const failures = byLabel(metrics.generatorFailures, "type")
  const triggers = byLabel(metrics.triggers, "type")
  const rejectedStreams = byLabel(metrics.rejectedStreams, "code")
  return {
    opened: () => metrics.streams.modifyUnsafe(1, context),
    closed: () => metrics.streams.modifyUnsafe(-1, context),
    received: (_, typeUrl, kind) => {
      if (kind === "stale") expiredNonces(typeOf(typeUrl)).updateUnsafe(1, context)
    },
    refused: (_, typeUrl) => rejects(typeOf(typeUrl)).updateUnsafe(1, context),
    unknownType: () => metrics.unknownTypes.updateUnsafe(1, context),
    rejected: (_, { code }) => rejectedStreams(String(code)).updateUnsafe(1, context),
    sent: (_, typeUrl, bytes) => {
      pushes(typeOf(typeUrl)).updateUnsafe(1, context)
      sizes(typeOf(typeUrl)).updateUnsafe(bytes, context)
    },
    converged: (_, milliseconds) => metrics.convergence.updateUnsafe(milliseconds / 1000, context),
    acknowledged: (_, milliseconds) => metrics.acknowledgement.updateUnsafe(milliseconds / 1000, context),
    generatorFailed: (_, typeUrl) => failures(typeOf(typeUrl)).updateUnsafe(1, context),
    pushed: (reasons) => {
      for (const [reason, count] of reasons) triggers(reason).updateUnsafe(count, context)
    }
  }
}
