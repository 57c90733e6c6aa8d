import type { EndpointSlice } from "../objects/kube.ts"
import type { ObjectMeta } from "../objects/meta.ts"
import type { Fields } from "./fields.ts"

/** What the source of an object says in place of the API server. */
export interface DecodeContext {
  /** RFC 3339; for objects without creationTimestamp. Default: `unknownCreationTime` */
  readonly defaultCreationTime?: string
  /** replaces the object's own: sources without versions assign rising ones (S-15) */
  readonly resourceVersion?: string
  /** true where unknown fields cannot be: API servers drop or refuse them. Default: they are looked at for typing errors */
  readonly isChecked?: boolean
  /** an EndpointSlice as it was until now: endpoints of which the same is said again stay the values they are, where `isChecked` */
  readonly slice?: EndpointSlice | undefined
}

/** The age of objects that say nothing about it, fixed so that every start gives the same order (D-14). */
export const unknownCreationTime = "2026-01-01T00:00:00Z"

/** The metadata of an object; a namespaced one without a namespace is in `default`, as kubectl would put it. */
export const decodeMeta = (root: Fields, clusterWide: boolean, context: DecodeContext): ObjectMeta => {
  const fields = root.at("metadata")
  return {
    name: fields.requiredText("name", "give the object a name"),
    namespace: clusterWide ? "" : fields.text("namespace") || "default",
    uid: fields.text("uid"),
    creationTime:
      decodeTime(fields, "creationTimestamp") ?? context.defaultCreationTime ?? unknownCreationTime,
    resourceVersion: context.resourceVersion ?? fields.text("resourceVersion"),
    labels: fields.labels("labels"),
    annotations: fields.labels("annotations")
  }
}

const wholeSeconds = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/

/** A time in UTC and whole seconds, so that the order of texts is the order of times. */
const decodeTime = (fields: Fields, name: string): string | undefined => {
  const text = fields.text(name)
  if (text === "") return undefined
  const time = Date.parse(text)
  if (Number.isNaN(time)) {
    fields.warn(name, "expected a time", "write RFC 3339, such as 2026-03-01T08:00:00Z")
    return undefined
  }
  return wholeSeconds.test(text) ? text : `${new Date(time).toISOString().slice(0, 19)}Z`
}
