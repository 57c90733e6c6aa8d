import type { Json } from "@istiod-lite/registry-aggregate"
import { Effect, Schema } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { PlanRequest } from "../plan/plan-request.ts"
import { readExplainQuestion } from "../query/explain-parameters.ts"
import { readChoice } from "../query/choice-parameters.ts"
import { Queries } from "../query/queries.ts"
import { type QueryError, WrongUse } from "../query/query-error.ts"

const statuses: Readonly<Record<QueryError["_tag"], number>> = {
  NothingFound: 404,
  WrongUse: 400,
  NoServer: 502
}

/** An answer, or why there is none. */
const respond = <R>(answer: Effect.Effect<Json, QueryError, R>) =>
  answer.pipe(
    Effect.map((json) => HttpServerResponse.jsonUnsafe(json)),
    Effect.catch((error: QueryError) =>
      Effect.succeed(
        HttpServerResponse.jsonUnsafe({ error: error.message }, { status: statuses[error._tag] })
      )
    )
  )

const parameters = Effect.map(
  HttpServerRequest.HttpServerRequest,
  ({ url }) => new URL(url, "http://admin").searchParams
)

const readPort = (text: string | null): Effect.Effect<number | undefined, WrongUse> => {
  if (text === null) return Effect.undefined
  const port = Number(text)
  return Number.isInteger(port) && port > 0 && port <= 65535
    ? Effect.succeed(port)
    : Effect.fail(new WrongUse({ message: `port: expected 1 … 65535: received ${text}` }))
}

const readPlanRequest = Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => request.json).pipe(
  Effect.mapError(() => new WrongUse({ message: "it is no JSON" })),
  Effect.flatMap(Schema.decodeUnknownEffect(PlanRequest)),
  Effect.mapError(({ message }) => new WrongUse({ message: `The request is no plan request: ${message}` }))
)

/** The queries over HTTP: `GET /api/v1/…`, and `POST /api/v1/plan`, which computes. No request changes anything. */
export const apiRoutes = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const queries = yield* Queries
    yield* router.add("GET", "/api/v1/services", respond(queries.services))
    yield* router.add("GET", "/api/v1/proxies", respond(queries.proxies))
    yield* router.add("GET", "/api/v1/clusters", respond(queries.clusters))
    yield* router.add("GET", "/api/v1/machines", respond(queries.machines))
    yield* router.add(
      "GET",
      "/api/v1/endpoints",
      respond(
        Effect.gen(function* () {
          const query = yield* parameters
          const host = query.get("host")
          const port = yield* readPort(query.get("port"))
          return yield* queries.endpoints(host === null ? undefined : { host, port })
        })
      )
    )
    yield* router.add(
      "GET",
      "/api/v1/render",
      respond(Effect.flatMap(Effect.flatMap(parameters, readChoice), queries.render))
    )
    yield* router.add(
      "GET",
      "/api/v1/explain",
      respond(Effect.flatMap(Effect.flatMap(parameters, readExplainQuestion), queries.explain))
    )
    yield* router.add("POST", "/api/v1/plan", respond(Effect.flatMap(readPlanRequest, queries.plan)))
  })
)
