/**
 * What an API server decides by itself and a scenario prescribes: uid and time of creation. They travel in an annotation,
 * and stand in their places again when the object is read.
 */

/** What is restored, and which write it came with. */
export interface Marker {
  readonly run: string
  readonly write: number
  readonly uid?: string
  readonly creationTimestamp?: string
}

type Fields = Readonly<Record<string, unknown>>

export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Text, empty if it is something else. */
export const textOf = (value: unknown): string => (typeof value === "string" ? value : "")

const isMarker = (value: unknown): value is Marker =>
  isFields(value) && typeof value.run === "string" && typeof value.write === "number"

const annotation = "conformance.istiod-lite.io/marker"

/** The object as it is written: with the marker, without what only the API server may say. */
export const marked = (object: Fields, marker: Omit<Marker, "uid" | "creationTimestamp">): Fields => {
  const metadata = isFields(object.metadata) ? object.metadata : {}
  const { creationTimestamp, resourceVersion: _, uid, ...others } = metadata
  const carried = { ...marker, ...text("uid", uid), ...text("creationTimestamp", creationTimestamp) }
  const annotations = isFields(metadata.annotations) ? metadata.annotations : {}
  return {
    ...object,
    metadata: { ...others, annotations: { ...annotations, [annotation]: JSON.stringify(carried) } }
  }
}

const text = (name: string, value: unknown): Fields =>
  typeof value === "string" ? { [name]: value } : value instanceof Date ? { [name]: value.toISOString() } : {}

/** The object as the scenario has it, and its marker; undefined: it is no scenario's. */
export const restored = (
  object: unknown
): { readonly object: Fields; readonly marker: Marker } | undefined => {
  if (!isFields(object) || !isFields(object.metadata) || !isFields(object.metadata.annotations))
    return undefined
  const { [annotation]: carried, ...annotations } = object.metadata.annotations
  if (typeof carried !== "string") return undefined
  const marker: unknown = JSON.parse(carried)
  if (!isMarker(marker)) return undefined
  const { creationTimestamp, uid } = marker
  const { managedFields: _, ...metadata } = object.metadata
  return {
    marker,
    object: {
      ...object,
      metadata: {
        ...metadata,
        annotations,
        uid: uid ?? "",
        ...(creationTimestamp === undefined ? {} : { creationTimestamp })
      }
    }
  }
}
