/** JSON values as the expected files hold them. */
import { compact, isList, isRecord, type Json } from "@istiod-lite/registry-aggregate"

export {
  canonicalText,
  compact,
  isList,
  isRecord,
  type Json,
  type JsonRecord
} from "@istiod-lite/registry-aggregate"

/** Throws on text that is no JSON. */
export const parseJson = (text: string): Json => {
  const value: Json = JSON.parse(text)
  return value
}

/** The value without empty fields at any depth: what `right/` files compare, where absent and empty are the same. */
export const withoutEmptyFields = (value: Json): Json => {
  if (isList(value)) return value.map(withoutEmptyFields)
  if (!isRecord(value)) return value
  return compact(
    Object.fromEntries(Object.entries(value).map(([name, field]) => [name, withoutEmptyFields(field)]))
  )
}
