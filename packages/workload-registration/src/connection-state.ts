import type { RawObject } from "@istiod-lite/model"
import {
  connectedAtAnnotation,
  controllerAnnotation,
  disconnectedAtAnnotation,
  expiresAnnotation,
  groupAnnotation
} from "./annotations.ts"

type Annotations = Readonly<Record<string, string>>

/** Epoch milliseconds; undefined if there is no such time. */
const timeIn = (annotations: Annotations, name: string): number | undefined => {
  const time = Date.parse(annotations[name] ?? "")
  return Number.isNaN(time) ? undefined : time
}

const textOf = (time: number): string => new Date(time).toISOString()

const withAnnotations = (entry: RawObject, annotations: Annotations): RawObject => ({
  ...entry,
  metadata: { ...entry.metadata, annotations }
})

/** The annotations without one of them. */
const without = (annotations: Annotations, name: string): Annotations =>
  Object.fromEntries(Object.entries(annotations).filter(([key]) => key !== name))

/**
 * The entry as one that has been connected to `controller` since `at`; undefined if that is no news: something later
 * is written there already, by this replica or by another (case 52).
 */
export const connectedTo = (entry: RawObject, controller: string, at: number): RawObject | undefined => {
  const annotations = entry.metadata.annotations ?? {}
  const disconnected = timeIn(annotations, disconnectedAtAnnotation)
  const connected = timeIn(annotations, connectedAtAnnotation)
  if (disconnected !== undefined && at < disconnected) return undefined
  if (connected !== undefined && at < connected) return undefined
  if (annotations[controllerAnnotation] === controller && connected !== undefined && at <= connected)
    return undefined
  return withAnnotations(entry, {
    ...without(annotations, disconnectedAtAnnotation),
    [controllerAnnotation]: controller,
    [connectedAtAnnotation]: textOf(at)
  })
}

/**
 * The entry as one whose connection of `connectedAt` to `controller` ended `at`; undefined if it has a newer connection,
 * or one to another replica (case 52).
 */
export const disconnectedFrom = (
  entry: RawObject,
  controller: string,
  connectedAt: number,
  at: number
): RawObject | undefined => {
  const annotations = entry.metadata.annotations ?? {}
  if (annotations[controllerAnnotation] !== controller) return undefined
  const connected = timeIn(annotations, connectedAtAnnotation)
  if (connected === undefined || connected > connectedAt) return undefined
  return withAnnotations(entry, {
    ...without(annotations, connectedAtAnnotation),
    [disconnectedAtAnnotation]: textOf(at)
  })
}

/** What is to become of an entry whose machine is gone: a registered one is deleted, another one forgets its health. */
export type CleanUp =
  | { readonly what: "delete" | "forget health"; readonly at: number }
  /** its lease ends */
  | { readonly what: "expire"; readonly at: number }
  /** the replica that it is connected to is not there any more */
  | { readonly what: "disconnect"; readonly at: number }

/** What an entry tells of its life. */
export interface EntryLife {
  readonly annotations: Annotations
  readonly hasHealth: boolean
}

/**
 * What is to be done about an entry, and when; undefined: nothing as things stand.
 *
 * @param replicas those that are alive; undefined: not known, so none is taken for dead
 * @param gracePeriod milliseconds that a machine may be away
 */
export const cleanUpOf = (
  { annotations, hasHealth }: EntryLife,
  replicas: ReadonlySet<string> | undefined,
  gracePeriod: number
): CleanUp | undefined => {
  const expires = timeIn(annotations, expiresAnnotation)
  const other = cleanUpOfConnection({ annotations, hasHealth }, replicas, gracePeriod)
  if (expires === undefined || (other !== undefined && other.at <= expires)) return other
  return { what: "expire", at: expires }
}

const cleanUpOfConnection = (
  { annotations, hasHealth }: EntryLife,
  replicas: ReadonlySet<string> | undefined,
  gracePeriod: number
): CleanUp | undefined => {
  const isRegistered = annotations[groupAnnotation] !== undefined
  if (!isRegistered && !hasHealth) return undefined
  const connected = timeIn(annotations, connectedAtAnnotation)
  const controller = annotations[controllerAnnotation]
  if (connected !== undefined) {
    const isOrphan = replicas !== undefined && controller !== undefined && !replicas.has(controller)
    return isOrphan ? { what: "disconnect", at: connected } : undefined
  }
  const disconnected = timeIn(annotations, disconnectedAtAnnotation)
  if (disconnected === undefined) return undefined
  return { what: isRegistered ? "delete" : "forget health", at: disconnected + gracePeriod }
}
