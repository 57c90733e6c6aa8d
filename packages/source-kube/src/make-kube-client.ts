import type { KubeConfig } from "@kubernetes/client-node"
import { Effect, type Scope, Stream } from "effect"
import type { Dispatcher } from "undici"
import type { KubeClient, KubeRequest } from "./kube-client.ts"
import { KubeError } from "./kube-error.ts"
import type { LoadKubeConfig } from "./load-kube-config.ts"
import { ServerAccess } from "./server-access.ts"
import { statusOf } from "./status.ts"

/** How long an answer may take to be complete; watches are streams, and have no such limit. */
const wholeAnswerTimeout = "60 seconds"

/**
 * A client of the API server that a kubeconfig names, with one pool of connections, which are cut when the scope
 * closes. A request that is not let in (401) is sent once more with credentials that were read again.
 *
 * @param load reads the kubeconfig again
 */
export const makeKubeClient = ({
  config,
  load
}: {
  readonly load: LoadKubeConfig
  readonly config: KubeConfig
}): Effect.Effect<KubeClient, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => new ServerAccess(load, config)),
      (access) => Effect.promise(() => access.close())
    ),
    (access) => {
      const { server } = access
      const stream: KubeClient["stream"] = (request) =>
        Effect.map(open(access, request), ({ body, headers }) => ({
          contentType: String(headers["content-type"] ?? ""),
          body: Stream.fromAsyncIterable<Uint8Array, KubeError>(body, (cause) =>
            noAnswer(request, server, cause)
          )
        }))
      const bytes: KubeClient["bytes"] = (request) =>
        open(access, request).pipe(
          Effect.flatMap(({ body, headers }) =>
            Effect.map(
              Effect.tryPromise({
                try: () => body.bytes(),
                catch: (cause) => noAnswer(request, server, cause)
              }),
              (whole) => ({ contentType: String(headers["content-type"] ?? ""), body: whole })
            )
          ),
          Effect.scoped,
          Effect.timeoutOrElse({
            duration: wholeAnswerTimeout,
            orElse: () =>
              Effect.fail(
                noAnswer(request, server, new Error(`no complete answer within ${wholeAnswerTimeout}`))
              )
          })
        )
      const json: KubeClient["json"] = (request) =>
        Effect.flatMap(bytes(request), ({ body }) =>
          Effect.try({
            try: (): unknown => JSON.parse(Buffer.from(body).toString("utf8")),
            catch: (cause) => noAnswer(request, server, cause)
          })
        )
      return { server, json, bytes, stream }
    }
  )

/** Sends the request; what is left of the answer is given up when the scope closes. */
const open = (
  access: ServerAccess,
  request: KubeRequest
): Effect.Effect<Dispatcher.ResponseData, KubeError, Scope.Scope> =>
  attempt(access, request).pipe(
    Effect.catchIf(
      (error) => error.status === 401,
      (error) =>
        Effect.try({ try: () => access.renew(), catch: () => error }).pipe(
          Effect.andThen(attempt(access, request))
        )
    )
  )

const attempt = Effect.fnUntraced(function* (access: ServerAccess, request: KubeRequest) {
  const abort = yield* Effect.acquireRelease(
    Effect.sync(() => new AbortController()),
    (controller) => Effect.sync(() => controller.abort())
  )
  const answer = yield* Effect.tryPromise({
    try: () => send(access, request, abort.signal),
    catch: (cause) => noAnswer(request, access.server, cause)
  })
  // An aborted body tells so by an event, which nobody else may be listening for.
  answer.body.on("error", () => undefined)
  if (answer.statusCode >= 200 && answer.statusCode < 300) return answer
  const text = yield* Effect.tryPromise({
    try: () => answer.body.text(),
    catch: (cause) => noAnswer(request, access.server, cause)
  })
  return yield* new KubeError({
    operation: `${request.operation} at ${access.server}`,
    status: answer.statusCode,
    ...statusOf(text, answer.headers["retry-after"], answer.statusCode)
  })
})

const send = async (
  access: ServerAccess,
  {
    accept = "application/json",
    body,
    contentType = "application/json",
    method,
    path,
    query = {}
  }: KubeRequest,
  signal: AbortSignal
): Promise<Dispatcher.ResponseData> => {
  const { basePath, dispatcher, headers, origin } = await access.current()
  const search = new URLSearchParams(query).toString()
  return dispatcher.request({
    origin,
    path: `${basePath}${path}${search === "" ? "" : `?${search}`}`,
    method,
    headers: {
      ...headers,
      accept,
      "user-agent": "istiod-lite",
      ...(body === undefined ? {} : { "content-type": contentType })
    },
    body: body === undefined ? null : JSON.stringify(body),
    signal
  })
}

const noAnswer = ({ operation }: KubeRequest, server: string, cause: unknown): KubeError =>
  new KubeError({
    operation: `${operation} at ${server}`,
    status: undefined,
    reason: "",
    detail: reasonOf(cause)
  })

/** Errors of the transport hide what happened in their cause. */
const reasonOf = (cause: unknown): string => {
  if (!(cause instanceof Error)) return String(cause)
  const inner = cause.cause instanceof Error ? `: ${cause.cause.message}` : ""
  return `${cause.message || cause.name}${inner}`
}
