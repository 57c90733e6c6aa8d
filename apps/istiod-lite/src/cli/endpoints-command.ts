import { Effect } from "effect"
import { Argument, Command } from "effect/cli"
import { readHostPort } from "../query/read-host-port.ts"
import { EndpointsAnswer } from "../tables/answers.ts"
import { endpointsTable } from "../tables/endpoints-table.ts"
import { answer } from "./answer.ts"
import { queryFlags } from "./flags.ts"

const host = Argument.String("HOST[:PORT]").pipe(
  Argument.withDescription("a hostname, or its beginning: cart, cart.shop, cart.shop.svc.cluster.local:80"),
  Argument.map(readHostPort)
)

export const endpointsCommand = Command.make("endpoints", { ...queryFlags, host }, ({ host, ...options }) =>
  answer(options, (queries) => Effect.suspend(() => queries.endpoints(host)), {
    schema: EndpointsAnswer,
    table: endpointsTable
  })
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
