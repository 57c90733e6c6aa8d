import type { DetachedControlPlane } from "../../compose/compose-from-inputs.ts"
import type { Warning } from "../plan-answer.ts"

/** What is doubtful about a mesh as it stands, each under a key that stays the same while it is the same matter. */
export type Findings = ReadonlyMap<string, Warning>

/** What findings are looked for in. */
export type Searched = Pick<DetachedControlPlane, "discovery" | "inputs" | "workloads">

/** The findings that are there now, and were not before. */
export const newFindings = (before: Findings, now: Findings): ReadonlyArray<Warning> =>
  [...now].flatMap(([key, warning]) => (before.has(key) ? [] : [warning]))
