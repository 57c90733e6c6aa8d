import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServer, HttpServerResponse } from "effect/http"
import { PrometheusMetrics } from "effect/observability"
import { createServer } from "node:http"
import type { Queries } from "../query/queries.ts"
import { apiRoutes } from "./api-routes.ts"
import { type PortError, portError } from "./admin-error.ts"

export interface AdminOptions {
  readonly host: string
  /** 0 takes a free one */
  readonly port: number
  /** what is not there yet, in words; nothing when ready */
  readonly missing: () => ReadonlyArray<string>
}

const ready = (missing: AdminOptions["missing"]) =>
  HttpRouter.add(
    "GET",
    "/ready",
    Effect.sync(() => {
      const waitingFor = missing()
      return waitingFor.length === 0
        ? HttpServerResponse.text("ready\n")
        : HttpServerResponse.text(`not ready: waiting for ${waitingFor.join(", ")}\n`, { status: 503 })
    })
  )

/** Health, metrics and queries over HTTP, for operators and their tools. */
export const layerAdminServer = ({
  host,
  missing,
  port
}: AdminOptions): Layer.Layer<never, PortError, Queries> => {
  const routes = Layer.mergeAll(
    ready(missing),
    HttpRouter.add("GET", "/healthz", HttpServerResponse.text("ok\n")),
    PrometheusMetrics.layerHttp({ path: "/metrics" }),
    apiRoutes
  )
  const refuse = (cause: unknown) => portError("HTTP", `${host}:${port}`, "--admin-port", String(cause))
  const server = NodeHttpServer.layerServer(createServer, {
    host,
    port,
    gracefulShutdownTimeout: "1 second"
  }).pipe(
    Layer.catch(({ cause }) => Layer.effect(HttpServer.HttpServer, Effect.fail(refuse(cause)))),
    Layer.merge(NodeHttpServer.layerHttpServices)
  )
  const announce = Layer.effectDiscard(
    HttpServer.addressFormattedWith((address) => Effect.logInfo(`Admin listens on ${address}`))
  )
  return HttpRouter.serve(routes, { disableLogger: true, disableListenLog: true }).pipe(
    Layer.merge(announce),
    Layer.provide(server)
  )
}
