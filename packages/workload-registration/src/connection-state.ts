/** What an entry's annotations say of its machine's connection, and how connections change that (case 52). */
import { connectedAtAnnotation, controllerAnnotation, disconnectedAtAnnotation } from "./annotations.ts"

export type Annotations = Readonly<Record<string, string>>

/** Epoch milliseconds; undefined if there is no such time. */
export const timeIn = (annotations: Annotations, name: string): number | undefined => {
  const text = annotations[name]
  const time = text === undefined ? Number.NaN : Date.parse(text)
  return Number.isNaN(time) ? undefined : time
}

/** Whose connection counts: of the replica `controller`, since `connectedAt` (epoch milliseconds). */
export interface Claim {
  readonly controller: string
  readonly connectedAt: number
}

/** The connection that an entry tells of; undefined while its machine is away. */
export const claimIn = (annotations: Annotations): Claim | undefined => {
  const connectedAt = timeIn(annotations, connectedAtAnnotation)
  return connectedAt === undefined
    ? undefined
    : { controller: annotations[controllerAnnotation] ?? "", connectedAt }
}

/**
 * The annotations of an entry that this replica's connection counts for; undefined if they need no change: it does
 * already, or a newer connection to another replica does.
 *
 * A connection that lives counts more than any end of another one, whatever the clocks of the replicas say; between two
 * that live the newer one counts, and the name decides if they are of one age.
 */
export const claimed = (
  annotations: Annotations,
  { connectedAt, controller }: Claim
): Annotations | undefined => {
  const present = claimIn(annotations)
  if (present !== undefined && !isOver({ connectedAt, controller }, present)) return undefined
  const disconnectedAt = timeIn(annotations, disconnectedAtAnnotation) ?? connectedAt
  return {
    ...without(annotations, disconnectedAtAnnotation),
    [controllerAnnotation]: controller,
    [connectedAtAnnotation]: textOf(Math.max(connectedAt, disconnectedAt))
  }
}

const isOver = (a: Claim, b: Claim): boolean =>
  a.connectedAt !== b.connectedAt ? a.connectedAt > b.connectedAt : a.controller > b.controller

/**
 * The annotations of an entry whose connection, the claim or an older one, ended `at`; undefined if a newer connection
 * counts, or one to another replica.
 */
export const released = (annotations: Annotations, ended: Claim, at: number): Annotations | undefined => {
  const present = claimIn(annotations)
  if (present?.controller !== ended.controller || present.connectedAt > ended.connectedAt) return undefined
  return {
    ...without(annotations, connectedAtAnnotation),
    [disconnectedAtAnnotation]: textOf(at)
  }
}

const textOf = (time: number): string => new Date(time).toISOString()

const without = (annotations: Annotations, name: string): Annotations =>
  Object.fromEntries(Object.entries(annotations).filter(([key]) => key !== name))
