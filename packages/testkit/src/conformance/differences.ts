import { canonicalText, isList, isRecord, type Json, type JsonRecord } from "./json.ts"
import { sortUnordered, unorderedAt, type UnorderedList } from "./order-rules.ts"

/** One place where two values differ; a side that has nothing there is undefined. */
export interface Difference {
  /** `$["shop/cart.example"]["External/k1"][2].port`; unordered items are named by their identity */
  readonly path: string
  readonly expected: Json | undefined
  readonly actual: Json | undefined
}

/** Where `actual` is not `expected`, outermost place first; empty if they are the same under the order rules. */
export const differences = (
  expected: Json,
  actual: Json,
  rules: ReadonlyArray<UnorderedList>
): ReadonlyArray<Difference> =>
  compareValues(sortUnordered(expected, rules), sortUnordered(actual, rules), { rules, place: [], path: "$" })

interface Position {
  readonly rules: ReadonlyArray<UnorderedList>
  readonly place: ReadonlyArray<string>
  readonly path: string
}

const below = (position: Position, name: string, label: string): Position => ({
  rules: position.rules,
  place: [...position.place, name],
  path: position.path + label
})

const compareValues = (
  expected: Json | undefined,
  actual: Json | undefined,
  position: Position
): ReadonlyArray<Difference> => {
  if (isRecord(expected) && isRecord(actual)) return compareRecords(expected, actual, position)
  if (isList(expected) && isList(actual)) {
    const rule = unorderedAt(position.rules, position.place)
    return rule === undefined
      ? compareLists(expected, actual, position)
      : compareSets(expected, actual, position, rule)
  }
  const same =
    expected !== undefined && actual !== undefined && canonicalText(expected) === canonicalText(actual)
  return same ? [] : [{ path: position.path, expected, actual }]
}

const compareRecords = (
  expected: JsonRecord,
  actual: JsonRecord,
  position: Position
): ReadonlyArray<Difference> =>
  [...new Set([...Object.keys(expected), ...Object.keys(actual)])]
    .toSorted()
    .flatMap((name) => compareValues(expected[name], actual[name], below(position, name, fieldLabel(name))))

const compareLists = (
  expected: ReadonlyArray<Json>,
  actual: ReadonlyArray<Json>,
  position: Position
): ReadonlyArray<Difference> =>
  Array.from({ length: Math.max(expected.length, actual.length) }, (_, i) =>
    compareValues(expected[i], actual[i], below(position, String(i), `[${i}]`))
  ).flat()

/** Equal items are taken out first, so that a repeated item counts; then items of one identity are compared. */
const compareSets = (
  expected: ReadonlyArray<Json>,
  actual: ReadonlyArray<Json>,
  position: Position,
  { identity }: UnorderedList
): ReadonlyArray<Difference> => {
  const unmatched = Map.groupBy(actual, canonicalText)
  const missing = expected.filter((item) => unmatched.get(canonicalText(item))?.pop() === undefined)
  const surplus = [...unmatched.values()].flat()
  const itemAt = (item: Json): Position => below(position, "*", `[${identity(item)}]`)
  const compared = missing.flatMap((item) => {
    const match = surplus.findIndex((other) => identity(other) === identity(item))
    const [other] = match < 0 ? [undefined] : surplus.splice(match, 1)
    return compareValues(item, other, itemAt(item))
  })
  return [...compared, ...surplus.flatMap((item) => compareValues(undefined, item, itemAt(item)))]
}

const fieldLabel = (name: string): string =>
  /^[A-Za-z_]\w*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`
