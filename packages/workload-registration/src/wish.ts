import type { HealthReport, RawObject, WorkloadEntry } from "@istiod-lite/model"
import { type Annotations, type Claim, claimed, claimIn, released } from "./connection-state.ts"
import { takesReports, withHealth } from "./health.ts"
import { refusalOf } from "./may-control.ts"
import { serviceAccountOf, withAnnotations } from "./raw-entry.ts"

/** A report, and when it was made (epoch milliseconds). */
export interface TimedReport extends HealthReport {
  readonly at: number
}

/** What a replica wants an entry to say of its machine. */
export interface Wish {
  /** of the entry: identities of another one do not count */
  readonly namespace: string
  /** `connected`: a stream lives; `ended`: the last one is gone; `nothing`: this replica has no say */
  readonly connection:
    | { readonly state: "connected"; readonly claim: Claim; readonly identities: ReadonlyArray<string> }
    | { readonly state: "ended"; readonly claim: Claim; readonly at: number }
    | { readonly state: "nothing" }
  /** the newest; undefined: none yet */
  readonly report: TimedReport | undefined
  /** the entry that is made if there is none; text says why none is */
  readonly fresh: () => RawObject | string
}

/** What has to be written next, so that the wish comes true. `none`: it is true, or may not be. */
export type NextWrite =
  | { readonly write: "create" | "replace" | "replace status"; readonly object: RawObject }
  | { readonly write: "none"; readonly refused?: string }

const done: NextWrite = { write: "none" }

/**
 * The next write towards a wish. Whatever happened before, writing what this says until it says `none` makes the wish
 * true; connection first, then health, and an end after both.
 */
export const nextWrite = (entry: RawObject | undefined, wish: Wish): NextWrite => {
  const { connection, report } = wish
  if (connection.state === "nothing") return done
  if (connection.state === "connected") {
    const present = entry ?? wish.fresh()
    if (typeof present === "string") return { write: "none", refused: present }
    const owner = { namespace: wish.namespace, serviceAccount: serviceAccountOf(present) }
    const refused = refusalOf(connection.identities, owner)
    if (refused !== undefined) return { write: "none", refused }
    const next = claimed(annotationsOf(present), connection.claim)
    if (next !== undefined) {
      return { write: entry === undefined ? "create" : "replace", object: withAnnotations(present, next) }
    }
  }
  if (entry === undefined) return done
  const withReport = report && reported(entry, connection.claim, report)
  if (withReport !== undefined) return { write: "replace status", object: withReport }
  if (connection.state === "connected") return done
  const next = released(annotationsOf(entry), connection.claim, connection.at)
  return next === undefined ? done : { write: "replace", object: withAnnotations(entry, next) }
}

/** Only the replica whose connection counts reports, so that an older connection writes over nothing. */
const reported = (entry: RawObject, { controller }: Claim, report: TimedReport): RawObject | undefined =>
  claimIn(annotationsOf(entry))?.controller === controller && takesReports(annotationsOf(entry))
    ? withHealth(entry, report, report.at)
    : undefined

const annotationsOf = ({ metadata }: RawObject): Annotations => metadata.annotations ?? {}

/** Whether an entry as it is observed needs a closer look: somebody may have changed what this replica wrote. */
export const isDoubtful = (
  entry: WorkloadEntry | undefined,
  { connection, report }: Pick<Wish, "connection" | "report">
): boolean => {
  if (connection.state !== "connected") return false
  if (entry === undefined) return true
  const { annotations } = entry.meta
  if (claimed(annotations, connection.claim) !== undefined) return true
  if (report === undefined || !takesReports(annotations)) return false
  return claimIn(annotations)?.controller === connection.claim.controller && entry.healthy !== report.healthy
}
