import type { Kind, MeshConfigValue, Objects } from "@istiod-lite/model"
import { type InputChanges, type ObjectChange, type StatusAddresses, typedObject } from "../compose/inputs.ts"
import { reduceObject } from "./reduce-object.ts"
import type { RunStart, Transaction } from "./transaction.ts"

/** A line of a recording: a transaction, or a part of one. What is empty is left out, what went is null. */
export interface Frame {
  /** RFC 3339, with milliseconds */
  readonly time: string
  readonly start?: RunStart | undefined
  /** the transaction goes on in the next line */
  readonly more?: true | undefined
  readonly clusters?: InputChanges["clusters"] | undefined
  readonly put?: ReadonlyArray<readonly [cluster: string, kind: Kind, object: Objects[Kind]]> | undefined
  readonly delete?:
    | ReadonlyArray<readonly [cluster: string, kind: Kind, namespace: string, name: string]>
    | undefined
  readonly mesh?: MeshConfigValue | undefined
  readonly statuses?: ReadonlyArray<readonly [key: string, addresses: StatusAddresses | null]> | undefined
  readonly gatewayAddresses?:
    | ReadonlyArray<readonly [hostname: string, addresses: ReadonlyArray<string> | null]>
    | undefined
}

/** How many objects a frame holds at most: encoding one holds the event loop for a few milliseconds. */
const mostObjects = 500

/**
 * Takes a transaction apart, piece by piece as it is asked for.
 *
 * @yields the frames, in order
 */
export function* framesOf({ changes, start, time }: Transaction): Generator<Frame> {
  const { clusters, gatewayAddresses, mesh, objects, statuses } = changes
  const parts = Math.max(1, Math.ceil(objects.length / mostObjects))
  for (let part = 0; part < parts; part++) {
    const some = objects.slice(part * mostObjects, (part + 1) * mostObjects)
    const isFirst = part === 0
    yield {
      time: new Date(time).toISOString(),
      start: isFirst ? start : undefined,
      more: part < parts - 1 ? true : undefined,
      clusters: isFirst ? written(clusters) : undefined,
      put: written(some.flatMap(putOf)),
      delete: written(some.flatMap(deleteOf)),
      mesh: isFirst ? mesh : undefined,
      statuses: isFirst ? written(statuses.map(nullForGone)) : undefined,
      gatewayAddresses: isFirst ? written(gatewayAddresses.map(nullForGone)) : undefined
    }
  }
}

/** An empty list is not written. */
const written = <A>(list: ReadonlyArray<A>): ReadonlyArray<A> | undefined =>
  list.length === 0 ? undefined : list

const nullForGone = <V>([key, value]: readonly [string, V | undefined]): readonly [string, V | null] => [
  key,
  value ?? null
]

const putOf = (change: ObjectChange): NonNullable<Frame["put"]> =>
  change.change === "put" ? [[change.cluster, change.typed.kind, reduceObject(change.typed).object]] : []

const deleteOf = (change: ObjectChange): NonNullable<Frame["delete"]> => {
  if (change.change === "put") return []
  const { kind, name, namespace } = change.identity
  return [[change.cluster, kind, namespace, name]]
}

/** The transaction that frames make together; the first says when it was and whether a run starts. */
export const transactionOf = ([first, ...others]: readonly [
  Frame,
  ...ReadonlyArray<Frame>
]): Transaction => ({
  time: Date.parse(first.time),
  start: first.start,
  changes: {
    clusters: first.clusters ?? [],
    objects: [first, ...others].flatMap(objectsOfFrame),
    mesh: first.mesh,
    statuses: (first.statuses ?? []).map(undefinedForGone),
    gatewayAddresses: (first.gatewayAddresses ?? []).map(undefinedForGone)
  }
})

const undefinedForGone = <V>([key, value]: readonly [string, V | null]): readonly [string, V | undefined] => [
  key,
  value ?? undefined
]

const objectsOfFrame = (frame: Frame): ReadonlyArray<ObjectChange> => [
  ...(frame.put ?? []).map(
    ([cluster, kind, object]) => ({ cluster, change: "put", typed: typedObject(kind, object) }) as const
  ),
  ...(frame.delete ?? []).map(
    ([cluster, kind, namespace, name]) =>
      ({ cluster, change: "delete", identity: { kind, namespace, name } }) as const
  )
]
