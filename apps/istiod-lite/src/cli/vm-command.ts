import { Effect } from "effect"
import { Argument, Command } from "effect/cli"
import { MachinesAnswer } from "../tables/answers.ts"
import { machinesTable } from "../tables/machines-table.ts"
import { answer } from "./answer.ts"
import { apiServerFlags, queryFlags } from "./flags.ts"

const listCommand = Command.make("list", queryFlags, (options) =>
  answer(options, (queries) => queries.machines, { schema: MachinesAnswer, table: machinesTable })
).pipe(
  Command.withDescription(
    "List the machines: registered by whom, connected to which replica, how they are, and who was refused"
  ),
  Command.withExamples([
    { command: "istiod-lite vm list", description: "Those that the control plane on this machine knows" },
    {
      command: "istiod-lite vm list --kubeconfig ~/.kube/config",
      description: "Those whose entries an API server holds"
    }
  ])
)

const machine = Argument.String("machine").pipe(
  Argument.withMetavar("NAMESPACE/NAME"),
  Argument.withDescription("the machine's WorkloadEntry")
)

/** Takes a machine out of traffic, or back in, at the API server that the flags name. */
const drainCommand = (name: "drain" | "undrain", description: string) =>
  Command.make(name, { machine, ...apiServerFlags }, (options) =>
    Effect.gen(function* () {
      const { drain } = yield* Effect.promise(() => import("../machines/drain.ts"))
      yield* drain(options, name === "drain")
    })
  ).pipe(
    Command.withDescription(description),
    Command.withExamples([
      {
        command: `istiod-lite vm ${name} shop/billing-192.0.2.101 --kubeconfig ~/.kube/config`,
        description: "By label istio.io/draining of its WorkloadEntry"
      }
    ])
  )

export const vmCommand = Command.make("vm").pipe(
  Command.withDescription("Look at virtual machines, take them out of traffic and back in"),
  Command.withSubcommands([
    listCommand,
    drainCommand("drain", "Take a machine out of traffic without deleting its entry"),
    drainCommand("undrain", "Let a machine take traffic again")
  ])
)
