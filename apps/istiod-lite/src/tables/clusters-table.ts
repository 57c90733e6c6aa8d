import type { ClustersAnswer } from "./answers.ts"
import { withStaleLines } from "./stale-lines.ts"
import { table } from "./table.ts"

export const clustersTable = (clusters: typeof ClustersAnswer.Type): string =>
  withStaleLines(
    clustersText(clusters),
    clusters.flatMap(({ cluster, stale }) => (stale === undefined ? [] : [{ registry: cluster, ...stale }]))
  )

const clustersText = (clusters: typeof ClustersAnswer.Type): string =>
  table(
    ["CLUSTER", "ROLE", "STATE", "OBJECTS"],
    clusters.map(({ cluster, config, objects, stale, synced }) => [
      cluster,
      config ? "configuration" : "remote",
      synced ? (stale === undefined ? "synced" : "stale") : "reading",
      Object.entries(objects)
        .map(([kind, count]) => `${count} ${kind}`)
        .join(", ")
    ])
  )
