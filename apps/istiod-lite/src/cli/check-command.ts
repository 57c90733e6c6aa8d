import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { sourceFlags } from "./flags.ts"

const paths = Argument.String("PATH").pipe(
  Argument.withDescription("a file, a folder, or - for standard input"),
  Argument.variadic({ min: 1 })
)

const relations = Flag.Boolean("relations").pipe(
  Flag.withDescription(
    "warn of objects that do not fit together: selectors, port names, pods, hosts; default on, --no-relations for objects " +
      "whose counterparts are elsewhere"
  ),
  Flag.withDefault(true)
)

const { meshConfig, meshNetworks } = sourceFlags

export const checkCommand = Command.make("check", { meshConfig, meshNetworks, paths, relations }, (options) =>
  Effect.gen(function* () {
    const { check } = yield* Effect.promise(() => import("./check.ts"))
    yield* check({
      paths: options.paths,
      relations: options.relations,
      meshConfig: Option.getOrUndefined(options.meshConfig),
      meshNetworks: Option.getOrUndefined(options.meshNetworks)
    })
  })
).pipe(
  Command.withDescription("Find faults in manifests: where, which object and field, why, and what to do"),
  Command.withExamples([
    { command: "istiod-lite check examples/shop", description: "Exit code 0: nothing to say" },
    { command: "kubectl get svc -o yaml | istiod-lite check -", description: "Check standard input" }
  ])
)
