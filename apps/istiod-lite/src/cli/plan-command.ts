import { Data, Effect, Option, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { PlanAnswer } from "../plan/plan-answer.ts"
import { type QueryError, WrongUse } from "../query/query-error.ts"
import { planTable } from "../tables/plan-table.ts"
import { noted } from "../tables/stale-lines.ts"
import { ask, type QueryOptions } from "./answer.ts"
import { queryFlags } from "./flags.ts"
import { print } from "./print.ts"
import { readChangeFiles } from "./read-change-files.ts"
import { readProxyChoice } from "./read-proxy-choice.ts"

/** The change takes something away; what, has been printed. */
export class SomethingLost extends Data.TaggedError("SomethingLost")<{ readonly message: string }> {}

const flags = {
  ...queryFlags,
  files: Flag.String("filename").pipe(
    Flag.withAlias("f"),
    Flag.withMetavar("FILE"),
    Flag.withDescription("manifests of the change, or - for standard input; may be repeated"),
    Flag.atLeast(1)
  ),
  deletes: Flag.Boolean("delete").pipe(
    Flag.withDescription("plan to delete the objects instead of applying them"),
    Flag.withDefault(false)
  ),
  proxies: Flag.String("proxy").pipe(
    Flag.withMetavar("NAME|FILE"),
    Flag.withDescription(
      "compare the views of these proxies only, not of all that are connected; may be repeated"
    ),
    Flag.atLeast(0)
  ),
  cluster: Flag.String("in").pipe(
    Flag.withMetavar("ID"),
    Flag.withDescription("cluster whose objects they are; default: the configuration cluster"),
    Flag.optional
  )
}

interface PlanOptions extends QueryOptions {
  readonly files: ReadonlyArray<string>
  readonly deletes: boolean
  readonly proxies: ReadonlyArray<string>
  readonly cluster: Option.Option<string>
}

const plan = ({
  cluster,
  deletes,
  files,
  proxies,
  ...options
}: PlanOptions): Effect.Effect<void, QueryError | Error> =>
  Effect.gen(function* () {
    const manifests = yield* readChangeFiles(files)
    const choices = yield* Effect.forEach(proxies, (proxy) => readProxyChoice(proxy, options.configCluster))
    const request = {
      manifests,
      deletes,
      proxies: choices,
      ...(Option.isSome(cluster) ? { cluster: cluster.value } : {})
    }
    const answer = yield* ask(options, (queries) => queries.plan(request))
    yield* print(answer, options.output, { schema: PlanAnswer, table: noted(planTable) })
    const { lost } = yield* Schema.decodeUnknownEffect(PlanAnswer)(answer).pipe(
      Effect.mapError(
        ({ message }) => new WrongUse({ message: `The answer is of another version: ${message}` })
      )
    )
    const anything = lost.services + lost.endpoints + lost.views > 0
    return yield* anything ? new SomethingLost({ message: "Something would be lost." }) : Effect.void
  })

export const planCommand = Command.make("plan", flags, plan).pipe(
  Command.withDescription(
    "Show what a change would do to services and proxies, before it is applied; nothing is changed. Exit code 1: " +
      "something would be lost"
  ),
  Command.withExamples([
    {
      command: "istiod-lite plan -f change.yaml",
      description: "What the control plane on this machine, and the proxies connected to it, would make of it"
    },
    {
      command: "istiod-lite plan -f erp.yaml --delete --manifests examples/shop --proxy cart-1.shop",
      description: "The same for files, seen by the sidecar of a pod"
    }
  ])
)
