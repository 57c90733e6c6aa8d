import { canonicalText, isList, isRecord, type Json } from "./json.ts"

/** A list whose order says nothing. */
export interface UnorderedList {
  /** field names from the root of the file; `*` stands for any name or index */
  readonly at: ReadonlyArray<string>
  /** what an item is about: the item of the other side with the same identity is the one to compare it with */
  readonly identity: (item: Json) => string
}

/** The rule for the list at this place, if its order says nothing. */
export const unorderedAt = (
  rules: ReadonlyArray<UnorderedList>,
  place: ReadonlyArray<string>
): UnorderedList | undefined =>
  rules.find(
    ({ at }) => at.length === place.length && at.every((name, i) => name === "*" || name === place[i])
  )

/** The value with each unordered list sorted by text, innermost first, so that equal values have equal text. */
export const sortUnordered = (
  value: Json,
  rules: ReadonlyArray<UnorderedList>,
  place: ReadonlyArray<string> = []
): Json => {
  if (isList(value)) {
    const items = value.map((item, i) => sortUnordered(item, rules, [...place, String(i)]))
    return unorderedAt(rules, place) === undefined ? items : items.toSorted(byText)
  }
  if (!isRecord(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [name, sortUnordered(field, rules, [...place, name])])
  )
}

const byText = (a: Json, b: Json): number => {
  const left = canonicalText(a)
  const right = canonicalText(b)
  return left < right ? -1 : left > right ? 1 : 0
}

/** The identity that is made of these fields, each a dotted path. */
export const identityOf =
  (...paths: ReadonlyArray<string>) =>
  (item: Json): string =>
    paths.map((path) => textAt(item, path.split("."))).join(" ")

const textAt = (value: Json | undefined, names: ReadonlyArray<string>): string => {
  const [name, ...rest] = names
  if (name !== undefined) return textAt(isRecord(value) ? value[name] : undefined, rest)
  return value === undefined ? "" : typeof value === "string" ? value : canonicalText(value)
}
