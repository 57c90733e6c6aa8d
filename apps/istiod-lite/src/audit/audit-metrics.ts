import { Metric } from "effect"

/** What the audit tells monitoring. */
export const auditMetrics = {
  checked: Metric.counter("istiod_lite_audit_checked_total", {
    description: "Assignments held by proxies that were compared with what their objects give",
    incremental: true
  }),
  drift: Metric.counter("istiod_lite_audit_drift_total", {
    description: "Assignments held by proxies that were not what their objects give, by kind",
    incremental: true
  }),
  failures: Metric.counter("istiod_lite_audit_failures_total", {
    description: "Audits that could not be done",
    incremental: true
  }),
  duration: Metric.histogram("istiod_lite_audit_duration_seconds", {
    description: "Seconds from the beginning to the end of an audit, its pauses included",
    boundaries: [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60]
  })
}
