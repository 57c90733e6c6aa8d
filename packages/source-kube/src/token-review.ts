import { Cache, Clock, Context, Duration, Effect, Exit, Semaphore } from "effect"
import { createHash } from "node:crypto"
import type { KubeClient } from "./kube-client.ts"
import { KubeError } from "./kube-error.ts"

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
  /** milliseconds for which a token counts as valid, at most until it expires: it may be revoked meanwhile */
  readonly remember?: number
  /** milliseconds for which a token counts as not valid: it may be one that the API server does not know yet */
  readonly rememberRefusal?: number
  /** answers that are remembered at most */
  readonly capacity?: number
  /**
   * how long whoever shows a token waits for the answer, its turn among the reviews included: a proxy that is told that
   * nobody can review it now comes again, to another replica maybe
   */
  readonly timeout?: Duration.Input
}

/** The token of the connection that is waiting. */
class Token extends Context.Service<Token, string>()("@istiod-lite/source-kube/Token") {}

/** However many connect at once, the API server has others to serve. */
const reviewsAtOnce = 16

/** What is remembered of a token. */
interface Answer {
  readonly reviewed: Reviewed
  /** milliseconds for which it counts */
  readonly lifetime: number
}

/**
 * Reviews tokens of service accounts by the API server (authentication.k8s.io/v1 TokenReview). Who shows one that is
 * being asked for waits for the same answer. Answers are remembered for a while, since a machine that reconnects shows
 * the token it has; failures to get one are not. Tokens themselves are not kept, only a hash.
 */
export const makeTokenReviewer = (
  client: KubeClient,
  {
    audiences = ["istio-ca"],
    capacity = 10_000,
    remember = 60_000,
    rememberRefusal = 5_000,
    timeout = "10 seconds"
  }: TokenReviewOptions = {}
): Effect.Effect<TokenReviewer> =>
  Effect.gen(function* () {
    const turns = yield* Semaphore.make(reviewsAtOnce)
    const answers = yield* Cache.makeWith(
      (_hash: string) =>
        Effect.gen(function* () {
          const token = yield* Token
          const reviewed = yield* turns.withPermit(review(client, token, audiences)).pipe(
            Effect.timeoutOrElse({
              duration: timeout,
              orElse: () => Effect.fail(unanswered(client, timeout))
            })
          )
          if (!reviewed.valid) return { reviewed, lifetime: rememberRefusal }
          const expiry = expiryOf(token) ?? Number.POSITIVE_INFINITY
          return { reviewed, lifetime: Math.min(remember, expiry - (yield* Clock.currentTimeMillis)) }
        }),
      { capacity, timeToLive: lifetimeOf, requireServicesAt: "lookup" }
    )
    return (token) =>
      Effect.suspend(() => Cache.get(answers, createHash("sha256").update(token).digest("base64"))).pipe(
        Effect.provideService(Token, token),
        Effect.map(({ reviewed }) => reviewed)
      )
  })

const lifetimeOf = (exit: Exit.Exit<Answer, KubeError>): number =>
  Exit.isSuccess(exit) ? Math.max(0, exit.value.lifetime) : 0

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

const unanswered = ({ server }: KubeClient, timeout: Duration.Input): KubeError =>
  new KubeError({
    operation: `review a token at ${server}`,
    status: undefined,
    reason: "",
    detail: `the API server gave no answer within ${Duration.format(Duration.fromInputUnsafe(timeout))}`
  })

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
