// By file: the index loads clients of databases and clusters, half a second of them.
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect } from "effect"
import { Command } from "effect/cli"
import { exitCodeOf } from "./cli/exit-code.ts"
import { reportFailure } from "./cli/report-failure.ts"
import { rootCommand } from "./cli/root-command.ts"
import { version } from "./version.ts"

Command.run(rootCommand, { version }).pipe(
  Effect.tapCause(reportFailure),
  Effect.provide(NodeServices.layer),
  NodeRuntime.runMain({
    disableErrorReporting: true,
    teardown: (exit, onExit) => onExit(exitCodeOf(exit))
  })
)
