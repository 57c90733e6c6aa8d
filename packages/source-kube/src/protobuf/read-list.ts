import { type ListPage, readListPage, type RawListed } from "../watch-event.ts"
import { many, message, one, readFields, type Schema, schemaOf, text, type Type } from "./schema.ts"
import type { TextPool } from "./text-pool.ts"
import { lengthDelimitedType, WireReader } from "./wire-reader.ts"

/** Kubernetes' protobuf, as content types name it. */
export const protobufType = "application/vnd.kubernetes.protobuf"

/** Reads a page of a list; JSON if the server has answered so all the same. Throws if it is none. */
export type ReadPage = (body: Uint8Array, contentType: string) => ListPage

/** A reader of lists of one kind's objects. */
export const makeReadPage = (kind: string, schema: Schema, texts: TextPool): ReadPage => {
  const list = schemaOf({ 1: one("metadata", message(listMeta)), 2: many("items", message(schema)) })
  return (body, contentType) =>
    contentType.startsWith(protobufType) ? readProtobuf(body, `${kind}List`, list, texts) : readListPage(body)
}

const listMeta = schemaOf({ 2: one("resourceVersion", text), 3: one("continue", text) })

/** What comes before the envelope: "k8s" and a zero. */
const magic = Buffer.from("k8s\0")

/** Where the bytes of a value are, which are read later. */
const span: Type = {
  wireType: lengthDelimitedType,
  read: (reader) => {
    const end = reader.endOfValue()
    const { at } = reader
    reader.at = end
    return { at, end }
  }
}

/** runtime.Unknown of k8s.io/apimachinery, which says what it holds. */
const envelope = schemaOf({
  1: one("typeMeta", message(schemaOf({ 2: one("kind", text) }))),
  2: one("raw", span),
  3: one("contentEncoding", text)
})

const readProtobuf = (body: Uint8Array, kind: string, list: Schema, texts: TextPool): ListPage => {
  if (!magic.equals(body.subarray(0, magic.length))) throw new Error("the answer is no Kubernetes protobuf")
  const reader = new WireReader(body, texts, magic.length)
  const told = readFields(reader, reader.end, envelope)
  if (!isEnvelope(told, kind)) throw new Error(`the answer is no ${kind}`)
  reader.at = told.raw.at
  const read = readFields(reader, told.raw.end, list)
  if (!isList(read)) throw new Error("the list has no version")
  const { items = [], metadata } = read
  return { items, resourceVersion: metadata.resourceVersion, continue: metadata.continue || undefined }
}

interface Envelope {
  readonly raw: { readonly at: number; readonly end: number }
}

const isEnvelope = (
  told: { readonly typeMeta?: unknown; readonly raw?: unknown; readonly contentEncoding?: unknown },
  kind: string
): told is Envelope =>
  isRecord(told.typeMeta) && told.typeMeta.kind === kind && isRecord(told.raw) && !told.contentEncoding

interface List {
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string }
  readonly items?: ReadonlyArray<RawListed>
}

const isList = (read: { readonly metadata?: unknown }): read is List =>
  isRecord(read.metadata) &&
  typeof read.metadata.resourceVersion === "string" &&
  read.metadata.resourceVersion !== ""

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null
