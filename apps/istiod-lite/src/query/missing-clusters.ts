import type { ClusterStatus } from "@istiod-lite/model"
import { Effect } from "effect"
import { NothingFound, type QueryError } from "./query-error.ts"
import { isNeverRead } from "./stale-notes.ts"

/** What is not found may well be in a cluster that was never read: the answer names it, with its last error. */
export const explainMissing =
  (statuses: () => ReadonlyArray<ClusterStatus>) =>
  <A, E extends QueryError>(answer: Effect.Effect<A, E>): Effect.Effect<A, E | NothingFound> =>
    Effect.mapError(answer, (error) => {
      const missing = error._tag === "NothingFound" ? statuses().filter(isNeverRead) : []
      return missing.length === 0
        ? error
        : new NothingFound({ message: [error.message, ...missing.map(missingText)].join(" ") })
    })

const missingText = ({ cluster, error }: ClusterStatus): string =>
  `Cluster ${cluster} is not synced, it may be there: ${error ?? "it is being read"}.`
