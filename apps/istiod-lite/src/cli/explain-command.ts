import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import type { ProxyChoice } from "../query/queries.ts"
import type { WrongUse } from "../query/query-error.ts"
import { readHostPort } from "../query/read-host-port.ts"
import { AddressAnswer, ConflictsAnswer, EndpointAnswer, ServiceAnswer } from "../tables/explain-answers.ts"
import {
  explainAddressTable,
  explainConflictsTable,
  explainEndpointTable,
  explainServiceTable
} from "../tables/explain-table.ts"
import { noted } from "../tables/stale-lines.ts"
import { answer } from "./answer.ts"
import { queryFlags } from "./flags.ts"
import { readProxyChoice } from "./read-proxy-choice.ts"

const client = Flag.String("for").pipe(
  Flag.withMetavar("NAME|FILE"),
  Flag.withDescription(
    "as this proxy sees it: NAME.NAMESPACE, or a file that describes one; default: a sidecar beside each endpoint"
  ),
  Flag.optional
)

const readClient = (
  text: Option.Option<string>,
  configCluster: string
): Effect.Effect<ProxyChoice | undefined, WrongUse> =>
  Option.isNone(text) ? Effect.undefined : readProxyChoice(text.value, configCluster)

const endpoint = Command.make(
  "endpoint",
  {
    ...queryFlags,
    client,
    subject: Argument.String("IP[:PORT]|POD|WORKLOADENTRY").pipe(
      Argument.withDescription("an address, or a workload: cart-1.shop, shop/cart-1")
    )
  },
  ({ client, subject, ...options }) =>
    Effect.flatMap(readClient(client, options.configCluster), (choice) =>
      answer(options, (queries) => queries.explain({ about: "endpoint", subject, client: choice }), {
        schema: EndpointAnswer,
        table: noted(explainEndpointTable)
      })
    )
).pipe(
  Command.withDescription(
    "Follow an endpoint from the object that names it to a client: where it is lost, and why"
  ),
  Command.withExamples([
    {
      command: "istiod-lite explain endpoint 10.8.5.13 --manifests examples/shop",
      description: "Everything that the address is an endpoint of"
    },
    {
      command: "istiod-lite explain endpoint shop/cart-1 --for frontend-1.shop",
      description: "A pod's endpoints, as a connected proxy is told of them"
    }
  ])
)

const service = Command.make(
  "service",
  {
    ...queryFlags,
    client,
    host: Argument.String("HOST[:PORT]").pipe(
      Argument.withDescription("a hostname, or its beginning: cart, cart.shop"),
      Argument.map(readHostPort)
    )
  },
  ({ client, host, ...options }) =>
    Effect.flatMap(readClient(client, options.configCluster), (choice) =>
      answer(options, (queries) => queries.explain({ about: "service", host, client: choice }), {
        schema: ServiceAnswer,
        table: noted(explainServiceTable)
      })
    )
).pipe(
  Command.withDescription("Say who has a host, what is wrong with it, and what becomes of each endpoint")
)

const address = Command.make(
  "address",
  { ...queryFlags, address: Argument.String("IP").pipe(Argument.withDescription("an IPv4 or IPv6 address")) },
  ({ address, ...options }) =>
    answer(options, (queries) => queries.explain({ about: "address", address }), {
      schema: AddressAnswer,
      table: noted(explainAddressTable)
    })
).pipe(
  Command.withDescription("Say what an address is: of services, pods, machines, nodes, network gateways")
)

const conflicts = Command.make("conflicts", queryFlags, (options) =>
  answer(options, (queries) => queries.explain({ about: "conflicts" }), {
    schema: ConflictsAnswer,
    table: noted(explainConflictsTable)
  })
).pipe(Command.withDescription("List hosts and addresses that several objects claim, who has them, and why"))

export const explainCommand = Command.make("explain").pipe(
  Command.withDescription("Say why: the rule that decided, and the object and field to change"),
  Command.withSubcommands([endpoint, service, address, conflicts]),
  Command.withExamples([
    {
      command: "istiod-lite explain endpoint 10.8.5.13 --manifests examples/shop",
      description: "Why is this endpoint missing?"
    },
    { command: "istiod-lite explain conflicts", description: "Who wins disputed hosts and addresses" }
  ])
)
