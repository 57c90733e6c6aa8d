import type { ClustersAnswer } from "./answers.ts"
import { withStaleLines } from "./stale-lines.ts"
import { table } from "./table.ts"

export const clustersTable = (clusters: typeof ClustersAnswer.Type): string =>
  withStaleLines(
    [clustersText(clusters), ...problemLines(clusters)].join("\n"),
    clusters.flatMap(({ cluster, stale }) => (stale === undefined ? [] : [{ registry: cluster, ...stale }]))
  )

const clustersText = (clusters: typeof ClustersAnswer.Type): string =>
  table(
    ["CLUSTER", "ROLE", "STATE", "OBJECTS"],
    clusters.map(({ cluster, config, objects, stale, state, synced }) => [
      cluster,
      config ? "configuration" : "remote",
      state ?? (synced ? (stale === undefined ? "synced" : "stale") : "reading"),
      Object.entries(objects)
        .map(([kind, count]) => `${count} ${kind}`)
        .join(", ")
    ])
  )

/** What is wrong with single kinds of a cluster; kinds that are not installed are told last, if at all. */
const problemLines = (clusters: typeof ClustersAnswer.Type): ReadonlyArray<string> =>
  clusters.flatMap(({ cluster, error, problems = [], stale }) => {
    const absent = problems.filter(({ state }) => state === "absent").map(({ kind }) => kind)
    const others = problems.filter(({ problem, state }) => state !== "absent" && problem !== error)
    return [
      ...(error === undefined || stale !== undefined ? [] : [`${cluster}: ${error}`]),
      ...others.map(({ problem }) => `${cluster}: ${problem}`),
      ...(absent.length === 0 ? [] : [`${cluster}: not installed: ${absent.join(", ")}`])
    ]
  })
