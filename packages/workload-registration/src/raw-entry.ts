import type { RawObject } from "@istiod-lite/model"

/** The entry with these annotations, and no others. */
export const withAnnotations = (
  entry: RawObject,
  annotations: Readonly<Record<string, string>>
): RawObject => ({ ...entry, metadata: { ...entry.metadata, annotations } })

/** The service account that an entry demands of its machine; empty: any. */
export const serviceAccountOf = ({ spec }: RawObject): string =>
  typeof spec?.serviceAccount === "string" ? spec.serviceAccount : ""
