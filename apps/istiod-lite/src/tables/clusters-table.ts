import type { ClustersAnswer } from "./answers.ts"
import { table } from "./table.ts"

export const clustersTable = (clusters: typeof ClustersAnswer.Type): string =>
  table(
    ["CLUSTER", "ROLE", "STATE", "OBJECTS"],
    clusters.map(({ cluster, config, objects, synced }) => [
      cluster,
      config ? "configuration" : "remote",
      synced ? "synced" : "reading",
      Object.entries(objects)
        .map(([kind, count]) => `${count} ${kind}`)
        .join(", ")
    ])
  )
