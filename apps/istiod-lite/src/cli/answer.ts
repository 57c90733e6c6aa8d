import type { Json } from "@istiod-lite/registry-aggregate"
import { Console, type Context, Effect, Layer, Option } from "effect"
import { namesApiServer, namesObjects, type SourceOptions } from "../compose/source-options.ts"
import { Queries } from "../query/queries.ts"
import { NothingFound, type QueryError, WrongUse } from "../query/query-error.ts"
import { print, type OutputFormat, type Shown } from "./print.ts"

/** The flags of a query command. */
export interface QueryOptions extends SourceOptions {
  readonly server: Option.Option<string>
  /** a recording, and the moment in it */
  readonly replay: Option.Option<string>
  readonly until: Option.Option<string>
  readonly output: OutputFormat
}

/** What is asked of whoever can answer. */
export type Question = (queries: QueriesShape) => Effect.Effect<Json, QueryError>

/** What is said besides the answer. */
export interface AnswerTexts {
  /** when the answer holds nothing */
  readonly nothing?: (queries: QueriesShape) => Effect.Effect<string, QueryError>
  /** below a table; nothing if it is empty */
  readonly notes?: (queries: QueriesShape) => Effect.Effect<string, QueryError>
}

type QueriesShape = Context.Service.Shape<typeof Queries>

const defaultServer = "http://127.0.0.1:15014"

/**
 * Asks the files that are named, else a running control plane, and prints the answer. Fails with `NothingFound` after
 * printing it when it holds nothing, so that scripts see it by the exit code.
 */
export const answer = <A>(
  options: QueryOptions,
  question: Question,
  shown: Shown<A>,
  { nothing = () => Effect.succeed("Nothing found."), notes }: AnswerTexts = {}
): Effect.Effect<void, QueryError | Error> =>
  Effect.gen(function* () {
    const isForPeople = options.output === "table"
    const { found, message, text } = yield* ask(options, (queries) =>
      Effect.gen(function* () {
        const found = yield* question(queries)
        const message = isNothing(found) ? yield* nothing(queries) : undefined
        return { found, message, text: isForPeople && notes ? yield* notes(queries) : "" }
      })
    )
    if (!isForPeople || message === undefined) yield* print(found, options.output, shown)
    if (text !== "") yield* Console.log(`\n${text}`)
    return yield* message === undefined ? Effect.void : new NothingFound({ message })
  })

/** Asks the files or the recording that are named, else a running control plane. */
export const ask = <A = Json>(
  options: QueryOptions,
  question: (queries: QueriesShape) => Effect.Effect<A, QueryError>
): Effect.Effect<A, QueryError | Error> =>
  Effect.flatMap(Queries, question).pipe(Effect.provide(Layer.unwrap(chosen(options))))

const isNothing = (found: Json): boolean =>
  typeof found === "object" && found !== null && Object.keys(found).length === 0

/** What it takes to read files and recordings is loaded only when they are read. */
const chosen = (options: QueryOptions): Effect.Effect<Layer.Layer<Queries, Error>, WrongUse> =>
  Effect.gen(function* () {
    const sources = [namesObjects(options), Option.isSome(options.server), Option.isSome(options.replay)]
    if (sources.filter(Boolean).length > 1) {
      const message =
        "Files (--manifests, --cluster), an API server (--kubeconfig, --in-cluster), a running control plane (--server) " +
        "or a recording (--replay): one of them."
      return yield* new WrongUse({ message })
    }
    if (Option.isSome(options.replay)) {
      const { layerReplayQueries } = yield* Effect.promise(() => import("../query/replay-queries.ts"))
      return layerReplayQueries(options.replay.value, options.until)
    }
    if (Option.isSome(options.until))
      return yield* new WrongUse({
        message: "--until is a moment of a recording: name it with --replay FILE."
      })
    if (!namesObjects(options)) {
      const { layerRemoteQueries } = yield* Effect.promise(() => import("../query/remote-queries.ts"))
      return layerRemoteQueries(Option.getOrElse(options.server, () => defaultServer))
    }
    if (namesApiServer(options)) {
      const { layerApiServerQueries } = yield* Effect.promise(() => import("../query/api-server-queries.ts"))
      return layerApiServerQueries(options)
    }
    const { layerFileQueries } = yield* Effect.promise(() => import("../query/file-queries.ts"))
    return layerFileQueries(options)
  })
