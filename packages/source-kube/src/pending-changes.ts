import { type ClusterSuccessor, type Kind, objectKey } from "@istiod-lite/model"
import type { Listed, ObjectWrite } from "./kind-feed.ts"

/** What was read of one kind: all of its objects, or changes to them. */
export type KindChange =
  | { readonly kind: Kind; readonly listed: Listed }
  | { readonly kind: Kind; readonly writes: ReadonlyArray<ObjectWrite> }

/** What has been read and waits to be applied as one transaction, in the order in which it came. */
export class PendingChanges {
  #changes: Array<KindChange> = []

  add(change: KindChange): void {
    // A list says all that there is: what came before it does not matter any more.
    if ("listed" in change) this.#changes = this.#changes.filter(({ kind }) => kind !== change.kind)
    this.#changes.push(change)
  }

  hasList(of: Kind): boolean {
    return this.#changes.some((change) => change.kind === of && "listed" in change)
  }

  /** Gives all of it and begins anew. */
  take(): ReadonlyArray<KindChange> {
    const changes = this.#changes
    this.#changes = []
    return changes
  }
}

/** Writes a first state: lists, and changes since. */
export const fill = (successor: ClusterSuccessor, changes: ReadonlyArray<KindChange>): void => {
  for (const change of changes) {
    if ("listed" in change) {
      for (const { typed, version } of change.listed.objects) successor.put(typed, version)
      continue
    }
    for (const write of change.writes) {
      if (write.write === "put") successor.put(write.typed, write.version)
      else successor.delete(write.identity)
    }
  }
}

/** Keys that a collection has and a list has not; objects that are there and cannot be used stay as they were. */
export const missingFrom = (
  { objects, unusable }: Listed,
  present: Iterable<string>
): ReadonlyArray<string> => {
  const listed = new Set(objects.map(({ typed: { object } }) => objectKey(object.meta)))
  return [...present].filter((key) => !listed.has(key) && !unusable.has(key))
}
