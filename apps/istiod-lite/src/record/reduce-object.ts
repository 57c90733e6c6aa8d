import { Annotation, type Labels, type TypedObject } from "@istiod-lite/model"

/** The annotations that discovery reads. */
const wanted: ReadonlySet<string> = new Set(Object.values(Annotation))

/**
 * An object without the annotations that discovery does not read. Decoded objects hold no secrets, environments or
 * commands; but annotations may hold anything, and one of kubectl's repeats the whole manifest.
 */
export const reduceObject = <T extends TypedObject>(typed: T): T => {
  const { object } = typed
  const meta = { ...object.meta, annotations: reduce(object.meta.annotations) }
  // Only a WorkloadGroup has annotations besides its own: those of its WorkloadEntries.
  const others = "annotations" in object ? { annotations: reduce(object.annotations) } : {}
  return { ...typed, object: { ...object, ...others, meta } }
}

const reduce = (annotations: Labels): Labels =>
  Object.fromEntries(Object.entries(annotations).filter(([name]) => wanted.has(name)))
