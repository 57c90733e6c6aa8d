import { Command } from "effect/cli"
import { ClustersAnswer } from "../tables/answers.ts"
import { clustersTable } from "../tables/clusters-table.ts"
import { answer } from "./answer.ts"
import { queryFlags } from "./flags.ts"

export const clustersCommand = Command.make("clusters", queryFlags, (options) =>
  answer(options, (queries) => queries.clusters, { schema: ClustersAnswer, table: clustersTable })
).pipe(
  Command.withDescription("List the clusters whose objects are read"),
  Command.withExamples([
    {
      command: "istiod-lite clusters --manifests examples/shop",
      description: "The objects that files declare, counted"
    }
  ])
)
