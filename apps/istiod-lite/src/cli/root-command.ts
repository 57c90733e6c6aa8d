import { Command } from "effect/cli"
import { checkCommand } from "./check-command.ts"
import { clustersCommand } from "./clusters-command.ts"
import { endpointsCommand } from "./endpoints-command.ts"
import { explainCommand } from "./explain-command.ts"
import { planCommand } from "./plan-command.ts"
import { proxiesCommand } from "./proxies-command.ts"
import { renderCommand } from "./render-command.ts"
import { serveCommand } from "./serve-command.ts"
import { replayCommand } from "./replay-command.ts"
import { servicesCommand } from "./services-command.ts"
import { vmCommand } from "./vm-command.ts"

export const rootCommand = Command.make("istiod-lite").pipe(
  Command.withDescription(
    "Service discovery for a mesh of pods and virtual machines, served over xDS.\n\n" +
      "Exit codes: 0 fine; 1 findings, or nothing found; 2 wrong use; 3 no control plane reachable."
  ),
  Command.withSubcommands([
    serveCommand,
    checkCommand,
    servicesCommand,
    endpointsCommand,
    renderCommand,
    explainCommand,
    planCommand,
    replayCommand,
    proxiesCommand,
    clustersCommand,
    vmCommand
  ]),
  Command.withExamples([
    {
      command: "istiod-lite serve --manifests examples/shop",
      description: "Serve the mesh that files declare"
    },
    { command: "istiod-lite check examples/shop", description: "Find faults in them" },
    { command: "istiod-lite endpoints cart.shop", description: "Ask the control plane on this machine" }
  ])
)
