import { integer, one, readFields, schemaOf, text, type Type } from "./schema.ts"
import { lengthDelimitedType } from "./wire-reader.ts"

const timeFields = schemaOf({ 1: one("seconds", integer) })

/** metav1.Time as its JSON is: RFC 3339 in whole seconds; nothing for the time that is none. */
export const time: Type = {
  wireType: lengthDelimitedType,
  read: (reader) => {
    const { seconds } = readFields(reader, reader.endOfValue(), timeFields)
    if (typeof seconds !== "number") return undefined
    return new Date(seconds * 1000).toISOString().replace(".000Z", "Z")
  }
}

const intOrStringFields = schemaOf({
  1: one("type", integer),
  2: one("number", integer),
  3: one("text", text)
})

/** IntOrString as its JSON is: type 0 is a number, type 1 a text. */
export const intOrString: Type = {
  wireType: lengthDelimitedType,
  read: (reader) => {
    const value = readFields(reader, reader.endOfValue(), intOrStringFields)
    return value.type === 1 ? (value.text ?? "") : (value.number ?? 0)
  }
}
