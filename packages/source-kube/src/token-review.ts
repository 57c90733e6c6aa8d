import { Effect } from "effect"
import { createHash } from "node:crypto"
import type { KubeClient } from "./kube-client.ts"
import type { KubeError } from "./kube-error.ts"

/** What a token proves: a service account, or nothing, and why. */
export type Reviewed =
  | { readonly valid: true; readonly namespace: string; readonly serviceAccount: string }
  | { readonly valid: false; readonly reason: string }

/** Asks an API server whose token something is. */
export type TokenReviewer = (token: string) => Effect.Effect<Reviewed, KubeError>

/** How tokens are reviewed. */
export interface TokenReviewOptions {
  /** a token has to be for one of these; default `istio-ca`, for which Istio's agents have theirs */
  readonly audiences?: ReadonlyArray<string>
  /** milliseconds for which an answer counts: a token may be revoked meanwhile */
  readonly remember?: number
  /** answers that are remembered at most */
  readonly capacity?: number
}

/**
 * Reviews tokens of service accounts by the API server (authentication.k8s.io/v1 TokenReview). Answers are remembered
 * for a while under a hash of the token, since a machine that reconnects shows the same one.
 */
export const makeTokenReviewer = (
  client: KubeClient,
  { audiences = ["istio-ca"], capacity = 10_000, remember = 60_000 }: TokenReviewOptions = {}
): TokenReviewer => {
  const known = new Map<string, { readonly reviewed: Reviewed; readonly until: number }>()
  return (token) =>
    Effect.suspend(() => {
      const key = createHash("sha256").update(token).digest("base64")
      const now = Date.now()
      const answer = known.get(key)
      if (answer !== undefined && now < answer.until) return Effect.succeed(answer.reviewed)
      return Effect.map(review(client, token, audiences), (reviewed) => {
        known.delete(key)
        known.set(key, {
          reviewed,
          until: Math.min(now + remember, expiryOf(token) ?? Number.POSITIVE_INFINITY)
        })
        const [oldest] = known.keys()
        if (known.size > capacity && oldest !== undefined) known.delete(oldest)
        return reviewed
      })
    })
}

const review = (
  client: KubeClient,
  token: string,
  audiences: ReadonlyArray<string>
): Effect.Effect<Reviewed, KubeError> =>
  client
    .json({
      operation: "review a token",
      method: "POST",
      path: "/apis/authentication.k8s.io/v1/tokenreviews",
      body: { apiVersion: "authentication.k8s.io/v1", kind: "TokenReview", spec: { token, audiences } }
    })
    .pipe(Effect.map(readReview))

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

const readReview = (answer: unknown): Reviewed => {
  const status = isRecord(answer) && isRecord(answer.status) ? answer.status : {}
  if (status.authenticated !== true) {
    const reason = typeof status.error === "string" ? status.error : "the API server does not know it"
    return { valid: false, reason }
  }
  const username =
    isRecord(status.user) && typeof status.user.username === "string" ? status.user.username : ""
  const [, namespace, serviceAccount] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(username) ?? []
  return namespace === undefined || serviceAccount === undefined
    ? { valid: false, reason: `it is of ${username || "nobody"}, not of a service account` }
    : { valid: true, namespace, serviceAccount }
}

/** Epoch milliseconds; undefined if it is no JWT, or does not say (RFC 7519, 4.1.4). Not verified: it only shortens. */
const expiryOf = (token: string): number | undefined => {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8"))
    return isRecord(claims) && typeof claims.exp === "number" ? claims.exp * 1000 : undefined
  } catch {
    return undefined
  }
}
