import { compareText } from "@istiod-lite/model"
import type { ListChanges } from "./plan-answer.ts"

/** How the members of a list are told. */
interface Telling<A> {
  readonly name: (member: A) => string
  /** what differs, empty if nothing that counts */
  readonly difference: (before: A, now: A) => string
}

/** What became of the members of a list that are the same by their key. Sorted by name. */
export const listChanges = <A>(
  before: ReadonlyMap<string, A>,
  now: ReadonlyMap<string, A>,
  { difference, name }: Telling<A>
): ListChanges => ({
  added: names([...now].flatMap(([key, member]) => (before.has(key) ? [] : [name(member)]))),
  removed: names([...before].flatMap(([key, member]) => (now.has(key) ? [] : [name(member)]))),
  changed: names(
    [...now].flatMap(([key, member]) => {
      const old = before.get(key)
      const what = old === undefined ? "" : difference(old, member)
      return what === "" ? [] : [`${name(member)}: ${what}`]
    })
  )
})

const names = (found: ReadonlyArray<string>): ReadonlyArray<string> => found.toSorted(compareText)

/** Whether nothing became of any. */
export const isUnchanged = ({ added, changed, removed }: ListChanges): boolean =>
  added.length + removed.length + changed.length === 0

/** The fields that differ, as `field old → now`; undefined is said as `none`. */
export const fieldChanges = <A extends object>(
  before: A,
  now: A,
  fields: ReadonlyArray<keyof A & string>
): string =>
  fields
    .flatMap((field) => {
      const [old, fresh] = [JSON.stringify(before[field]), JSON.stringify(now[field])]
      return old === fresh ? [] : [`${field} ${plain(old)} → ${plain(fresh)}`]
    })
    .join(", ")

const plain = (json: string | undefined): string =>
  json === undefined || json === '""' ? "none" : json.replaceAll('"', "")
