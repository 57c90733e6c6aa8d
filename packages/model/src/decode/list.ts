/** One object of a document, with its path there: empty, or `items[3]` of a List. */
export interface ListItem {
  readonly raw: unknown
  readonly path: string
}

/**
 * The objects of a document: itself, or the items of a `List` (or `PodList` and the like, as API servers answer),
 * whose items may leave out the kind that the list names.
 */
export const expandList = (raw: unknown): ReadonlyArray<ListItem> => {
  if (!isRecord(raw)) return [{ raw, path: "" }]
  const { apiVersion, items, kind } = raw
  if (typeof kind !== "string" || !kind.endsWith("List") || !Array.isArray(items)) return [{ raw, path: "" }]
  const defaults = kind === "List" ? {} : { apiVersion, kind: kind.slice(0, -"List".length) }
  return items.map((item: unknown, i) => ({
    raw: isRecord(item) ? { ...defaults, ...item } : item,
    path: `items[${i}]`
  }))
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
