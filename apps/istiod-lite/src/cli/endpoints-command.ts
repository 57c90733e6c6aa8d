import type { Json } from "@istiod-lite/registry-aggregate"
import { Effect, Option, Schema } from "effect"
import { Argument, Command } from "effect/cli"
import { findServices } from "../query/find-services.ts"
import type { HostPort } from "../query/queries.ts"
import { readHostPort } from "../query/read-host-port.ts"
import { EndpointsAnswer, ServicesAnswer } from "../tables/answers.ts"
import { endpointsTable } from "../tables/endpoints-table.ts"
import { answer } from "./answer.ts"
import { queryFlags } from "./flags.ts"
import { missingNotes } from "./missing-notes.ts"

const host = Argument.String("HOST[:PORT]").pipe(
  Argument.withDescription("a hostname, or its beginning: cart, cart.shop, cart.shop.svc.cluster.local:80"),
  Argument.map(readHostPort)
)

const decodeServices = Schema.decodeUnknownOption(ServicesAnswer)

/** The service is there, and has none. */
const noEndpointsText = (services: Json, { host, port }: HostPort): string => {
  const all = Option.getOrElse(decodeServices(services), () => [])
  const named = all.map(({ hostname, namespace = "" }) => ({ hostname, namespace }))
  const hosts = [...new Set(findServices(named, host).map(({ hostname }) => hostname))]
  const at = port === undefined ? "" : `:${port}`
  return `${hosts.map((one) => `${one}${at}`).join(", ") || host} ${hosts.length > 1 ? "have" : "has"} no endpoints; why: istiod-lite explain service ${host}${at}`
}

export const endpointsCommand = Command.make("endpoints", { ...queryFlags, host }, ({ host, ...options }) =>
  answer(
    options,
    (queries) => Effect.suspend(() => queries.endpoints(host)),
    { schema: EndpointsAnswer, table: endpointsTable },
    {
      nothing: (queries) => Effect.map(queries.services, (services) => noEndpointsText(services, host)),
      notes: missingNotes
    }
  )
).pipe(
  Command.withDescription("Show the endpoints of a service, healthy or not, before any proxy's view of them"),
  Command.withExamples([
    {
      command: "istiod-lite endpoints cart.shop --manifests examples/shop",
      description: "The endpoints of cart in namespace shop"
    },
    {
      command: "istiod-lite endpoints catalog.shop:9090 -o yaml",
      description: "Those of one port, as the control plane on this machine knows them"
    }
  ])
)
