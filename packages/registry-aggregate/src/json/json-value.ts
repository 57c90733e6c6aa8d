/** JSON values. */
export type Json = null | boolean | number | string | ReadonlyArray<Json> | JsonRecord

/** A JSON object. */
export interface JsonRecord {
  readonly [name: string]: Json
}

/** Whether a value is an object, not a list or null. */
export const isRecord = (value: Json | undefined): value is JsonRecord =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Whether a value is a list. */
export const isList = (value: Json | undefined): value is ReadonlyArray<Json> => Array.isArray(value)

/** The same text for equal values: names sorted, no white space. */
export const canonicalText = (value: Json): string => {
  if (isList(value)) return `[${value.map(canonicalText).join(",")}]`
  if (!isRecord(value)) return JSON.stringify(value)
  const fields = Object.entries(value)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, field]) => `${JSON.stringify(name)}:${canonicalText(field)}`)
  return `{${fields.join(",")}}`
}

const isEmpty = (value: Json | undefined): boolean =>
  value === undefined ||
  value === null ||
  value === "" ||
  value === 0 ||
  value === false ||
  (isList(value) ? value.length === 0 : isRecord(value) && Object.keys(value).length === 0)

/** The fields that say something: absent, empty, zero and false ones are left out. */
export const compact = (fields: Readonly<Record<string, Json | undefined>>): JsonRecord => {
  const kept: Record<string, Json> = {}
  for (const [name, value] of Object.entries(fields))
    if (value !== undefined && !isEmpty(value)) kept[name] = value
  return kept
}

/** Orders values by their canonical text. */
export const compareCanonically = (a: Json, b: Json): number => {
  const left = canonicalText(a)
  const right = canonicalText(b)
  return left < right ? -1 : left > right ? 1 : 0
}
