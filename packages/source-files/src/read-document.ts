import {
  decodeObject,
  expandList,
  type ObjectFault,
  type ObjectIdentity,
  objectKey,
  type TypedObject
} from "@istiod-lite/model"
import { parseDocument } from "./parse-document.ts"

/** A good object as one place declares it, without a resource version yet. */
export interface ManifestObject {
  /** kind, namespace and name: `ServiceEntry/shop/payments` */
  readonly key: string
  readonly typed: TypedObject
  readonly line: number
}

/** What a document, or all of a file's documents, say. */
export interface Reading {
  readonly objects: ReadonlyArray<ManifestObject>
  /** keys of objects that are there, but cannot be used as they are */
  readonly rejected: ReadonlyArray<string>
  readonly faults: ReadonlyArray<LocatedFault>
  /** false when something could not be recognised, so that an object's absence tells nothing */
  readonly complete: boolean
}

/** A fault with its line. */
export interface LocatedFault extends ObjectFault {
  readonly line: number
}

export const manifestKey = ({ kind, name, namespace }: ObjectIdentity): string =>
  `${kind}/${objectKey({ namespace, name })}`

const nothing: Reading = { objects: [], rejected: [], faults: [], complete: true }

/** Reads and checks the objects of one document; lines are counted from its own first line, which is 1. */
export const readDocument = (text: string): Reading => {
  const parsed = parseDocument(text)
  if (parsed.outcome === "empty") return nothing
  if (parsed.outcome === "error") {
    const { line, reason, remedy } = parsed
    const fault = {
      object: "document",
      path: "",
      reason,
      received: "",
      remedy,
      severity: "error",
      line
    } as const
    return { ...nothing, faults: [fault], complete: false }
  }
  const items = expandList(parsed.raw)
  return concatReadings(
    items.map(({ path, raw }) => readObject(raw, (field) => parsed.lineOf(join(path, field))))
  )
}

const readObject = (raw: unknown, lineOf: (path: string) => number): Reading => {
  const decoded = decodeObject(raw)
  const faults = decoded.faults.map((fault) => ({ ...fault, line: lineOf(fault.path) }))
  if (decoded.outcome === "ignored") return { ...nothing, faults }
  if (decoded.outcome === "rejected") {
    const { identity } = decoded
    if (identity === undefined) return { ...nothing, faults, complete: false }
    return { ...nothing, rejected: [manifestKey(identity)], faults }
  }
  const { kind, object } = decoded
  const key = manifestKey({ kind, namespace: object.meta.namespace, name: object.meta.name })
  return { ...nothing, objects: [{ key, typed: decoded, line: lineOf("") }], faults }
}

export const concatReadings = (readings: ReadonlyArray<Reading>): Reading => ({
  objects: readings.flatMap((it) => it.objects),
  rejected: readings.flatMap((it) => it.rejected),
  faults: readings.flatMap((it) => it.faults),
  complete: readings.every((it) => it.complete)
})

const join = (item: string, field: string): string =>
  item === "" || field === "" ? item + field : `${item}.${field}`
