/** A readiness probe as WorkloadGroup's `spec.probe` describes it, and as the control plane runs it. */

/** How it is asked whether a machine's application is ready. */
export type ProbeTarget =
  | {
      readonly kind: "http"
      readonly path: string
      readonly port: number
      readonly https: boolean
      /** where to connect; undefined: the machine's address */
      readonly host: string | undefined
      readonly headers: Readonly<Record<string, string>>
    }
  | { readonly kind: "tcp"; readonly port: number }
  | { readonly kind: "grpc"; readonly port: number; readonly service: string }

/** What is asked, and when. Times in milliseconds. */
export interface Probe {
  readonly target: ProbeTarget
  readonly initialDelay: number
  readonly timeout: number
  readonly period: number
  readonly successThreshold: number
  readonly failureThreshold: number
}

type Fields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/**
 * Reads the annotation; text says what is wrong with it. Defaults are those of Kubernetes' probes.
 *
 * Source: istio.io/api networking/v1 ReadinessProbe.
 */
export const readProbe = (annotation: string): Probe | string => {
  let raw: unknown
  try {
    raw = JSON.parse(annotation)
  } catch {
    return "it is no JSON"
  }
  if (!isFields(raw)) return "it is no JSON object"
  const target = targetOf(raw)
  if (typeof target === "string") return target
  const number = (name: string, fallback: number): number => {
    const value = raw[name]
    return typeof value === "number" && value > 0 ? value : fallback
  }
  return {
    target,
    initialDelay: number("initialDelaySeconds", 0) * 1000,
    timeout: number("timeoutSeconds", 1) * 1000,
    period: number("periodSeconds", 10) * 1000,
    successThreshold: number("successThreshold", 1),
    failureThreshold: number("failureThreshold", 3)
  }
}

const targetOf = ({ grpc, httpGet, tcpSocket }: Fields): ProbeTarget | string => {
  const [name, fields] = isFields(httpGet)
    ? (["httpGet", httpGet] as const)
    : isFields(tcpSocket)
      ? (["tcpSocket", tcpSocket] as const)
      : isFields(grpc)
        ? (["grpc", grpc] as const)
        : []
  if (name === undefined) return "it has none of httpGet, tcpSocket and grpc"
  const { host, httpHeaders, path, port, scheme, service } = fields
  if (typeof port !== "number" || !Number.isInteger(port) || port < 1 || port > 65_535) {
    return `${name}.port is no port number`
  }
  if (name === "tcpSocket") return { kind: "tcp", port }
  if (name === "grpc") {
    const asked = typeof service === "string" ? service : ""
    if (Buffer.byteLength(asked) > longestService) {
      return `grpc.service is longer than ${longestService} bytes`
    }
    return { kind: "grpc", port, service: asked }
  }
  return {
    kind: "http",
    path: typeof path === "string" ? path : "/",
    port,
    https: scheme === "HTTPS",
    host: typeof host === "string" && host !== "" ? host : undefined,
    headers: Array.isArray(httpHeaders) ? headersOf(httpHeaders) : {}
  }
}

/** The longest name whose length is one byte in protobuf. */
const longestService = 127

const headersOf = (headers: ReadonlyArray<unknown>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    headers.flatMap((header) =>
      isFields(header) && typeof header.name === "string" && typeof header.value === "string"
        ? [[header.name, header.value]]
        : []
    )
  )

/** What probes have said so far, and what follows from it. */
export interface ProbeState {
  readonly healthy: boolean | undefined
  /** of the same kind, in a row */
  readonly successes: number
  readonly failures: number
}

export const noProbes: ProbeState = { healthy: undefined, successes: 0, failures: 0 }

/** The state after one more probe; the thresholds decide when it turns. The first success counts at once. */
export const afterProbe = (
  state: ProbeState,
  isSuccess: boolean,
  { failureThreshold, successThreshold }: Pick<Probe, "failureThreshold" | "successThreshold">
): ProbeState => {
  const successes = isSuccess ? state.successes + 1 : 0
  const failures = isSuccess ? 0 : state.failures + 1
  const needed = state.healthy === undefined ? 1 : successThreshold
  const healthy = successes >= needed ? true : failures >= failureThreshold ? false : state.healthy
  return { healthy, successes, failures }
}
