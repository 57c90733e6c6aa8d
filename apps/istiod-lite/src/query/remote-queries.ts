import type { Json } from "@istiod-lite/registry-aggregate"
import { Effect, Layer, Schema } from "effect"
import { explainParameters } from "./explain-parameters.ts"
import { choiceParameters } from "./choice-parameters.ts"
import { Queries } from "./queries.ts"
import { NoServer, NothingFound, type QueryError, WrongUse } from "./query-error.ts"

const Refusal = Schema.Struct({ error: Schema.String })
const isRefusal = Schema.is(Refusal)

/** The answers of a running control plane; `server` is its admin address. */
export const layerRemoteQueries = (server: string): Layer.Layer<Queries> => {
  const ask = (
    path: string,
    parameters: Readonly<Record<string, string>> = {},
    request: RequestInit = {}
  ): Effect.Effect<Json, QueryError> =>
    Effect.gen(function* () {
      const url = yield* addressOf(server, path, parameters)
      const { body, status } = yield* Effect.tryPromise({
        try: async (signal) => {
          const response = await fetch(url, { ...request, signal })
          const body: Json = JSON.parse(await response.text())
          return { status: response.status, body }
        },
        catch: (cause) => new NoServer({ server, cause })
      })
      if (status === 200) return body
      const message = isRefusal(body) ? body.error : `${server} answered with status ${status}`
      return yield* status === 404 ? new NothingFound({ message }) : new WrongUse({ message })
    })
  return Layer.succeed(
    Queries,
    Queries.of({
      services: ask("services"),
      endpoints: (of) =>
        ask("endpoints", {
          ...(of === undefined ? {} : { host: of.host }),
          ...(of?.port === undefined ? {} : { port: String(of.port) })
        }),
      render: (choice) => ask("render", choiceParameters(choice)),
      explain: (question) => ask("explain", explainParameters(question)),
      proxies: ask("proxies"),
      clusters: ask("clusters"),
      machines: ask("machines"),
      plan: (change) => ask("plan", {}, { method: "POST", body: JSON.stringify(change) })
    })
  )
}

const addressOf = (
  server: string,
  path: string,
  parameters: Readonly<Record<string, string>>
): Effect.Effect<URL, WrongUse> =>
  Effect.try({
    try: () => {
      const url = new URL(`/api/v1/${path}`, server)
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
      return url
    },
    catch: () =>
      new WrongUse({ message: `${server} is no URL. Write --server http://HOST:PORT, the admin address.` })
  })
