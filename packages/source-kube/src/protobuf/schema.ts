import { lengthDelimitedType, varintType, type WireReader, type WireType } from "./wire-reader.ts"

/** A message as the JSON of the API would show it, without the fields that the schema leaves out. */
export type Message = Record<string, unknown>

/** What is read of one field. */
export interface Field {
  readonly wireType: WireType
  readonly readInto: (message: Message, reader: WireReader) => void
}

/** The fields of a message that are read, by number; the others are passed over. */
export type Schema = ReadonlyArray<Field | undefined>

/** How the value of a field is read. */
export interface Type {
  readonly wireType: WireType
  readonly read: (reader: WireReader) => unknown
}

export const schemaOf = (fields: Readonly<Record<number, Field>>): Schema => {
  const schema: Array<Field | undefined> = []
  for (const [number, field] of Object.entries(fields)) schema[Number(number)] = field
  // Without holes it is quicker.
  return Array.from(schema)
}

export const one = (name: string, { read, wireType }: Type): Field => ({
  wireType,
  readInto: (message, reader) => {
    message[name] = read(reader)
  }
})

export const many = (name: string, { read, wireType }: Type): Field => ({
  wireType,
  readInto: (message, reader) => {
    const values = message[name]
    const value = read(reader)
    if (Array.isArray(values)) values.push(value)
    else message[name] = [value]
  }
})

/** A map of texts: each field is one entry of it. */
export const mapOfTexts = (name: string): Field => ({
  wireType: lengthDelimitedType,
  readInto: (message, reader) => {
    const known = message[name]
    const map = isMessage(known) ? known : {}
    const { key = "", value = "" } = readFields(reader, reader.endOfValue(), mapEntry)
    setOwn(map, String(key), value)
    message[name] = map
  }
})

const isMessage = (value: unknown): value is Message => typeof value === "object" && value !== null

/** Users choose the keys of maps: they may be called as what every object inherits. */
const setOwn = (map: Message, key: string, value: unknown): void => {
  if (key === "__proto__") Object.defineProperty(map, key, { value, enumerable: true })
  else map[key] = value
}

/** Reads the fields of a message from where the reader is until `end`. */
export const readFields = (reader: WireReader, end: number, schema: Schema): Message => {
  const message: Message = {}
  while (reader.at < end) {
    const tag = reader.varint()
    const wireType = tag & 7
    const field = schema[tag >>> 3]
    if (field === undefined) reader.skip(wireType)
    else if (field.wireType === wireType) field.readInto(message, reader)
    else throw new Error(`field ${tag >>> 3} has wire type ${wireType}`)
  }
  if (reader.at > end) throw new Error("a value does not end with its message")
  return message
}

export const text: Type = { wireType: lengthDelimitedType, read: (reader) => reader.text() }
export const integer: Type = { wireType: varintType, read: (reader) => reader.varint() }
export const flag: Type = { wireType: varintType, read: (reader) => reader.varint() !== 0 }

export const message = (schema: Schema): Type => ({
  wireType: lengthDelimitedType,
  read: (reader) => readFields(reader, reader.endOfValue(), schema)
})

const mapEntry = schemaOf({ 1: one("key", text), 2: one("value", text) })
