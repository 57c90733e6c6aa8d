import type { HealthReport, RawObject } from "@istiod-lite/model"
import { healthChecksAnnotation, probeAnnotation } from "./annotations.ts"

interface Condition {
  readonly type?: unknown
  readonly status?: unknown
  readonly [field: string]: unknown
}

const healthy = "Healthy"

const isRecord = (value: unknown): value is Condition => typeof value === "object" && value !== null

const conditionsOf = ({ status }: RawObject): ReadonlyArray<Condition> =>
  Array.isArray(status?.conditions) ? status.conditions.filter(isRecord) : []

/** The condition Healthy; undefined if there is none. */
export const healthOf = (entry: RawObject): Condition | undefined =>
  conditionsOf(entry).find(({ type }) => type === healthy)

/**
 * Whether what a proxy reports is written to its entry: if that says that health is checked, and not that the control
 * plane itself does it.
 */
export const takesReports = (annotations: Readonly<Record<string, string>>): boolean =>
  annotations[healthChecksAnnotation] !== undefined && annotations[probeAnnotation] === undefined

/** The entry with a report, made `at`, as its condition Healthy; undefined if that says the same already. */
export const withHealth = (
  entry: RawObject,
  { healthy: isHealthy, message }: HealthReport,
  at: number
): RawObject | undefined => {
  const before = healthOf(entry)
  const status = isHealthy ? "True" : "False"
  if (before?.status === status && (before.message ?? "") === message) return undefined
  const time = new Date(at).toISOString()
  const lastTransitionTime = before?.status === status ? before.lastTransitionTime : time
  const condition = {
    type: healthy,
    status,
    ...(message === "" ? {} : { message }),
    lastProbeTime: time,
    lastTransitionTime
  }
  return withConditions(entry, [...conditionsOf(entry).filter(({ type }) => type !== healthy), condition])
}

/** The entry without condition Healthy: nobody knows it any more. */
export const withoutHealth = (entry: RawObject): RawObject =>
  withConditions(
    entry,
    conditionsOf(entry).filter(({ type }) => type !== healthy)
  )

const withConditions = (entry: RawObject, conditions: ReadonlyArray<Condition>): RawObject => ({
  ...entry,
  status: { ...entry.status, conditions }
})
