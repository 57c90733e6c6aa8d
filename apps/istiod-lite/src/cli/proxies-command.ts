import { Effect } from "effect"
import { Command } from "effect/cli"
import { namesObjects } from "../compose/source-options.ts"
import { WrongUse } from "../query/query-error.ts"
import { ProxiesAnswer } from "../tables/answers.ts"
import { proxiesTable } from "../tables/proxies-table.ts"
import { answer } from "./answer.ts"
import { queryFlags } from "./flags.ts"

export const proxiesCommand = Command.make("proxies", queryFlags, (options) =>
  namesObjects(options)
    ? Effect.fail(
        new WrongUse({
          message: "Nobody connects to files or API servers: ask a running control plane (--server URL)."
        })
      )
    : answer(
        options,
        (queries) => queries.proxies,
        { schema: ProxiesAnswer, table: proxiesTable },
        { nothing: () => Effect.succeed("No proxy is connected.") }
      )
).pipe(
  Command.withDescription("List the connected proxies and whether they have accepted what they were sent"),
  Command.withExamples([
    { command: "istiod-lite proxies", description: "Those of the control plane on this machine" }
  ])
)
