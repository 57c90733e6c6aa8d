import type { Labels } from "../labels.ts"

/** What discovery keeps of an object's metadata. Strings are empty, never absent, when the object has none. */
export interface ObjectMeta {
  readonly name: string
  readonly namespace: string
  readonly uid: string
  /** RFC 3339; objects without one get the time at which their source first saw them, or a fixed one */
  readonly creationTime: string
  /** opaque; sources without versions assign rising ones, padded so that text order is number order (S-15) */
  readonly resourceVersion: string
  readonly labels: Labels
  readonly annotations: Labels
}

/** `namespace/name`, the key of an object in its collection; cluster-wide objects have an empty namespace. */
export const objectKey = (meta: { readonly namespace: string; readonly name: string }): string =>
  `${meta.namespace}/${meta.name}`
