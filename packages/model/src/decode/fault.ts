/**
 * How much a fault costs. `error`: the object cannot be used. `warning`: it is used, though Istio's admission would
 * refuse it or part of it has no effect, or it is passed over where something else was probably meant. `info`: nothing is wrong, but
 * the object means nothing to discovery.
 */
export type Severity = "error" | "warning" | "info"

/** What is wrong with an object that a user wrote, and what to do about it. */
export interface ObjectFault {
  /** kind and key: `ServiceEntry shop/payments` */
  readonly object: string
  /** of the field within the object: `spec.ports[0].number`; empty for the object as a whole */
  readonly path: string
  readonly reason: string
  /** the value, shortened; empty where there is none to show */
  readonly received: string
  readonly remedy: string
  readonly severity: Severity
}

const longest = 60

/** A value as a person may see it in a message, however large it is: `"httpx"`, `0`, `a list of 3`, `nothing`. */
export const showValue = (value: unknown): string => {
  if (value === undefined || value === null) return "nothing"
  if (typeof value === "string") {
    return JSON.stringify(value.length > longest ? `${value.slice(0, longest)}…` : value)
  }
  if (Array.isArray(value)) return `a list of ${value.length}`
  const isPlain = typeof value === "number" || typeof value === "boolean" || typeof value === "bigint"
  return isPlain ? String(value) : "an object"
}

const openings: Readonly<Record<Severity, string>> = {
  error: "Cannot read",
  warning: "Doubtful",
  info: "Ignored"
}

/** One line: `Cannot read ServiceEntry default/ext: spec.ports[0].number: expected 1..65535: received 0. Remedy: …` */
export const formatFault = (fault: ObjectFault): string => {
  const where = fault.path === "" ? fault.object : `${fault.object}: ${fault.path}`
  const received = fault.received === "" ? "" : `: received ${fault.received}`
  const remedy = fault.remedy === "" ? "" : ` Remedy: ${fault.remedy}${fault.remedy.endsWith("?") ? "" : "."}`
  return `${openings[fault.severity]} ${where}: ${fault.reason}${received}.${remedy}`
}
