import { disconnectedAtAnnotation, expiresAnnotation, groupAnnotation } from "./annotations.ts"
import { type Annotations, type Claim, claimIn, timeIn } from "./connection-state.ts"

/**
 * What is to become of an entry, from `at` on (epoch milliseconds). `delete`: it registered itself, and its machine has
 * been away for too long; `forget health`: the same of an entry that is somebody else's; `expire`: its lease has ended;
 * `release`: the replica that it is connected to is dead.
 */
export type CleanUp =
  | { readonly what: "delete" | "forget health" | "expire"; readonly at: number }
  | { readonly what: "release"; readonly at: number; readonly claim: Claim }

/** What an entry tells of its life. */
export interface EntryLife {
  readonly annotations: Annotations
  readonly hasHealth: boolean
}

/** What the rule knows besides the entry. */
export interface CleanUpTerms {
  /** those that are alive; undefined: not known, so none is taken for dead */
  readonly replicas: ReadonlySet<string> | undefined
  /** milliseconds that a machine may be away */
  readonly gracePeriod: number
}

/** A replica that just started may be unknown to the leader for this long: twice the time between signs of life, and more. */
const untilKnown = 30_000

/** What is to be done about an entry, and when; undefined: nothing as things stand. */
export const cleanUpOf = (life: EntryLife, terms: CleanUpTerms): CleanUp | undefined => {
  const expires = timeIn(life.annotations, expiresAnnotation)
  const other = cleanUpOfConnection(life, terms)
  if (expires === undefined || (other !== undefined && other.at <= expires)) return other
  return { what: "expire", at: expires }
}

const cleanUpOfConnection = (
  { annotations, hasHealth }: EntryLife,
  { gracePeriod, replicas }: CleanUpTerms
): CleanUp | undefined => {
  const isRegistered = annotations[groupAnnotation] !== undefined
  const claim = claimIn(annotations)
  if (claim !== undefined) {
    const isOrphan = replicas !== undefined && !replicas.has(claim.controller)
    return isOrphan ? { what: "release", at: claim.connectedAt + untilKnown, claim } : undefined
  }
  if (!isRegistered && !hasHealth) return undefined
  const disconnectedAt = timeIn(annotations, disconnectedAtAnnotation)
  if (disconnectedAt === undefined) return undefined
  return { what: isRegistered ? "delete" : "forget health", at: disconnectedAt + gracePeriod }
}
