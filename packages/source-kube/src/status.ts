/** What a Kubernetes Status object says, as an API server answers when it refuses. */
export interface StatusInfo {
  readonly reason: string
  readonly detail: string
  /** milliseconds; undefined: it does not say */
  readonly retryAfter: number | undefined
}

/**
 * Reads the body of a refusal: a Status, or whatever a gateway before the API server wrote.
 *
 * @param retryAfter the header, in seconds (RFC 9110, 10.2.3; API servers send no dates)
 */
export const statusOf = (
  body: string,
  retryAfter: string | Array<string> | undefined,
  code: number
): StatusInfo => {
  const status = parse(body)
  const seconds = Number(retryAfter ?? status.details?.retryAfterSeconds ?? Number.NaN)
  return {
    reason: typeof status.reason === "string" ? status.reason : "",
    detail: typeof status.message === "string" ? status.message : `HTTP ${code} ${body.slice(0, 200)}`.trim(),
    retryAfter: Number.isFinite(seconds) ? seconds * 1000 : undefined
  }
}

interface RawStatus {
  readonly reason?: unknown
  readonly message?: unknown
  readonly details?: { readonly retryAfterSeconds?: unknown }
}

const parse = (body: string): RawStatus => {
  try {
    const value: unknown = JSON.parse(body)
    return typeof value === "object" && value !== null ? value : {}
  } catch {
    return {}
  }
}
