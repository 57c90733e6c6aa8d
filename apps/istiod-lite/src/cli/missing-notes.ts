import type { Json } from "@istiod-lite/registry-aggregate"
import { Effect, Option, Schema } from "effect"
import type { QueryError } from "../query/query-error.ts"
import { ClustersAnswer } from "../tables/answers.ts"
import { missingLines } from "../tables/clusters-table.ts"

const decode = Schema.decodeUnknownOption(ClustersAnswer)

/** Lists of services and endpoints lack what clusters hold that were never read: it says which. */
export const missingNotes = ({
  clusters
}: {
  readonly clusters: Effect.Effect<Json, QueryError>
}): Effect.Effect<string, QueryError> =>
  Effect.map(clusters, (answer) => missingLines(Option.getOrElse(decode(answer), () => [])).join("\n"))
