import type { ClustersAnswer } from "./answers.ts"
import { withStaleLines } from "./stale-lines.ts"
import { table } from "./table.ts"

type ClusterAnswer = (typeof ClustersAnswer.Type)[number]

export const clustersTable = (clusters: typeof ClustersAnswer.Type): string =>
  withStaleLines(
    [clustersText(clusters), ...clusters.flatMap(problemLines)].join("\n"),
    // What was never read is no state to be served: its STATE and its error say so.
    clusters.flatMap(({ cluster, stale, state }) =>
      stale === undefined || (state !== undefined && state !== "stale")
        ? []
        : [{ registry: cluster, ...stale }]
    )
  )

/** One line for each cluster of which nothing is known yet. */
export const missingLines = (clusters: typeof ClustersAnswer.Type): ReadonlyArray<string> =>
  clusters
    .filter(({ synced }) => !synced)
    .map(
      ({ cluster, error, since }) =>
        `Missing${since === undefined ? "" : ` since ${since}`}: cluster ${cluster} is not synced: ${error ?? "it is being read"}`
    )

const clustersText = (clusters: typeof ClustersAnswer.Type): string =>
  table(
    ["CLUSTER", "ROLE", "STATE", "OBJECTS"],
    clusters.map((cluster) => [
      cluster.cluster,
      cluster.config ? "configuration" : "remote",
      stateText(cluster),
      Object.entries(cluster.objects)
        .map(([kind, count]) => `${count} ${kind}`)
        .join(", ")
    ])
  )

/** Clusters that are files have no state of their own. */
const stateText = ({ stale, state, synced }: ClusterAnswer): string =>
  state ?? (synced ? (stale === undefined ? "synced" : "stale") : "reading")

/** What is wrong: with the whole cluster, then with single kinds, of which those that are not installed come last. */
const problemLines = ({ cluster, error, problems = [], state }: ClusterAnswer): ReadonlyArray<string> => {
  const failing = problems.filter((one) => one.state === "failing")
  const forbidden = problems.filter((one) => one.state === "forbidden")
  const absent = problems.filter((one) => one.state === "absent")
  // When one kind cannot be read, the others mostly cannot for the same reason, which is told once.
  const [first] = failing
  const lines = [
    ...(error === undefined || state === "stale" ? [] : [error]),
    ...(first === undefined
      ? []
      : [`cannot be read: ${kindsText(failing)}${error === undefined ? `: ${first.problem}` : ""}`]),
    ...forbidden.map(({ problem }) => problem),
    ...(absent.length === 0 ? [] : [`not installed: ${kindsText(absent)}`])
  ]
  return [...new Set(lines)].map((line) => `${cluster}: ${line}`)
}

const kindsText = (problems: ReadonlyArray<{ readonly kind: string }>): string =>
  problems.map(({ kind }) => kind).join(", ")
