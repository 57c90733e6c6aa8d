import { type Kind, type ObjectFault, showValue } from "@istiod-lite/model"
import { fileFault, type ManifestFault } from "@istiod-lite/source-files"
import { objectName } from "../explain/object-names.ts"
import type { Placed } from "./checked-run.ts"

/** A warning about an object whose field does not fit to other objects; without `received`, the reason tells the value. */
export const finding = <K extends Kind>(
  { object, place }: Placed<K>,
  fault: Pick<ObjectFault, "path" | "reason" | "remedy"> & { readonly received?: unknown }
): ManifestFault =>
  fileFault(place.cluster, place.file, {
    ...fault,
    line: place.line,
    object: objectName(place.typed.kind, object.meta),
    received: fault.received === undefined ? "" : showValue(fault.received),
    severity: "warning"
  })
